// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline_layout.hpp"

#include <algorithm>
#include <cmath>

namespace berth::nest {
namespace {

// Whether no run of `tensor` devices of the blocks straddles two innermost units: then all tensor
// ranks see gradient groups of one shape.
bool is_aligned(const NetworkLevels& network,
                const DeviceOrder& order,
                const std::vector<std::size_t>& firsts,
                std::size_t block,
                std::size_t tensor) {
  for (const std::size_t first : firsts) {
    for (std::size_t k = 0; k < block; ++k) {
      const std::size_t head = first + k - k % tensor;
      if (network.unit_of(0, order.devices[first + k]) != network.unit_of(0, order.devices[head])) {
        return false;
      }
    }
  }
  return true;
}

// The widest shape of the gradient group of any tensor rank.
GroupShape gradient_shape(const NetworkLevels& network,
                          const DeviceOrder& order,
                          const std::vector<std::size_t>& firsts,
                          std::size_t tensor,
                          std::size_t ranks_per_block,
                          bool aligned) {
  GroupShape widest;
  widest.members.assign(network.num_levels(), 1);
  std::vector<std::uint32_t> group;
  for (std::size_t k = 0; k < tensor; ++k) {
    group.clear();
    for (const std::size_t first : firsts) {
      for (std::size_t c = 0; c < ranks_per_block; ++c) {
        group.push_back(order.devices[first + k + c * tensor]);
      }
    }
    std::sort(group.begin(), group.end());
    GroupShape shape = shape_of(network, group);
    // Compare from the outermost level in: crossing there costs most.
    if (k == 0 || std::lexicographical_compare(widest.members.rbegin(),
                                               widest.members.rend(),
                                               shape.members.rbegin(),
                                               shape.members.rend())) {
      widest = std::move(shape);
    }
    if (aligned) {
      break;
    }
  }
  return widest;
}

void add_classes(const StrategyProblem& problem,
                 const DeviceOrder& order,
                 const std::vector<std::size_t>& firsts,
                 std::size_t block,
                 Position& position) {
  position.memory_bytes = INFINITY;
  for (const std::size_t first : firsts) {
    for (std::size_t k = 0; k < block; ++k) {
      const auto device_class =
          static_cast<std::uint32_t>(problem.class_of(order.devices[first + k]));
      if (std::find(position.classes.begin(), position.classes.end(), device_class) ==
          position.classes.end()) {
        position.classes.push_back(device_class);
        position.memory_bytes =
            std::min(position.memory_bytes, problem.classes[device_class].memory_bytes);
      }
      if (problem.classes.size() == 1) {
        return;
      }
    }
  }
  std::sort(position.classes.begin(), position.classes.end());
}

}  // namespace

std::vector<std::uint32_t> PipelineLayout::block_devices(std::size_t replica,
                                                         std::size_t position) const {
  const auto first =
      order->devices.begin() + static_cast<std::ptrdiff_t>(first_index(replica, position));
  return {first, first + static_cast<std::ptrdiff_t>(block)};
}

Position make_site(const StrategyProblem& problem,
                   const StrategyConfiguration& configuration,
                   const Collectives& collectives,
                   const DeviceOrder& order,
                   const std::vector<std::size_t>& firsts) {
  const NetworkLevels& network = problem.network;
  const bool aligned =
      is_aligned(network, order, firsts, configuration.block(), configuration.tensor);
  Position site;
  const std::size_t dense_ranks = std::size_t{configuration.context} * configuration.expert;
  const GroupShape dense =
      gradient_shape(network, order, firsts, configuration.tensor, dense_ranks, aligned);
  site.dense_reduce = collectives.all_reduce(dense);
  site.dense_scatter = collectives.reduce_scatter(dense);
  site.dense_gather = collectives.all_gather(dense);
  site.expert_reduce = site.dense_reduce;
  site.expert_scatter = site.dense_scatter;
  site.expert_gather = site.dense_gather;
  if (configuration.expert > 1) {
    const GroupShape expert = gradient_shape(
        network, order, firsts, configuration.tensor, configuration.context, aligned);
    site.expert_reduce = collectives.all_reduce(expert);
    site.expert_scatter = collectives.reduce_scatter(expert);
    site.expert_gather = collectives.all_gather(expert);
  }
  add_classes(problem, order, firsts, configuration.block(), site);
  return site;
}

std::vector<Position> make_positions(const StrategyProblem& problem,
                                     const StrategyConfiguration& configuration,
                                     const Collectives& collectives,
                                     const PipelineLayout& layout) {
  std::vector<Position> positions(layout.stages + 1);
  std::vector<std::size_t> firsts(layout.data);
  for (std::size_t s = 1; s <= layout.stages; ++s) {
    for (std::size_t r = 0; r < layout.data; ++r) {
      firsts[r] = layout.first_index(r, s);
    }
    const AffineCost out = positions[s].out;
    positions[s] = make_site(problem, configuration, collectives, *layout.order, firsts);
    positions[s].out = out;
    if (s < layout.stages) {
      positions[s].in = link_between(problem, collectives, layout, s + 1, s);
      positions[s + 1].out = positions[s].in;
    }
  }
  return positions;
}

AffineCost link_between(const StrategyProblem& problem,
                        const Collectives& collectives,
                        const PipelineLayout& layout,
                        std::size_t from,
                        std::size_t to) {
  std::size_t level = 0;
  for (std::size_t r = 0; r < layout.data; ++r) {
    for (std::size_t k = 0; k < layout.block; ++k) {
      level = std::max(
          level, problem.network.level_between(layout.device(r, from, k), layout.device(r, to, k)));
    }
  }
  // Devices that cross the same uplinks at the same time as one block's boundary.
  const std::size_t senders =
      layout.packing == Packing::kPipelineInner ? layout.block : layout.block * layout.data;
  return collectives.point_to_point(level, senders);
}

CollectiveCost reduce_pair(const StrategyProblem& problem,
                           const Collectives& collectives,
                           std::size_t level) {
  GroupShape pair;
  pair.members.assign(problem.network.num_levels(), 1);
  pair.members[level] = 2;
  return collectives.all_reduce(pair);
}

CollectiveCost tied_reduce(const StrategyProblem& problem,
                           const Collectives& collectives,
                           const PipelineLayout& layout) {
  std::size_t level = 0;
  for (std::size_t r = 0; r < layout.data; ++r) {
    level = std::max(
        level,
        problem.network.level_between(layout.device(r, 1, 0), layout.device(r, layout.stages, 0)));
  }
  return reduce_pair(problem, collectives, level);
}

}  // namespace berth::nest
