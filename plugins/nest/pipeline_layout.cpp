// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline_layout.hpp"

#include <algorithm>
#include <cmath>

namespace berth::nest {
namespace {

// Devices that cross the same uplinks at the same time as one block's boundary.
std::size_t senders(const PipelineLayout& layout) {
  return layout.packing == Packing::kPipelineInner ? layout.block : layout.block * layout.data;
}

std::size_t boundary_level(const NetworkLevels& network,
                           const PipelineLayout& layout,
                           std::size_t position) {
  std::size_t level = 0;
  for (std::size_t r = 0; r < layout.data; ++r) {
    const std::size_t here = layout.first_device(r, position);
    const std::size_t before = layout.first_device(r, position + 1);
    for (std::size_t k = 0; k < layout.block; ++k) {
      level = std::max(level, network.level_between(here + k, before + k));
    }
  }
  return level;
}

// The widest shape of the gradient group of any tensor rank. `step` leaves out expert ranks.
GroupShape gradient_shape(const NetworkLevels& network,
                          const PipelineLayout& layout,
                          std::size_t position,
                          std::size_t tensor,
                          std::size_t ranks_per_block,
                          bool aligned) {
  GroupShape widest;
  widest.members.assign(network.num_levels(), 1);
  std::vector<std::uint32_t> group;
  for (std::size_t k = 0; k < tensor; ++k) {
    group.clear();
    for (std::size_t r = 0; r < layout.data; ++r) {
      for (std::size_t c = 0; c < ranks_per_block; ++c) {
        group.push_back(
            static_cast<std::uint32_t>(layout.first_device(r, position) + k + c * tensor));
      }
    }
    const GroupShape shape = shape_of(network, group);
    // Compare from the outermost level in: crossing there costs most.
    if (k == 0 || std::lexicographical_compare(widest.members.rbegin(),
                                               widest.members.rend(),
                                               shape.members.rbegin(),
                                               shape.members.rend())) {
      widest = shape;
    }
    if (aligned) {
      break;  // all tensor ranks see the same shape
    }
  }
  return widest;
}

// Whether no run of `tensor` devices that starts at a multiple of it straddles two innermost units.
bool is_aligned(const NetworkLevels& network, std::size_t tensor) {
  for (std::size_t d = 0; d < network.num_devices(); ++d) {
    if (network.unit_of(0, d) != network.unit_of(0, d - d % tensor)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Position> make_positions(const StrategyProblem& problem,
                                     const StrategyConfiguration& configuration,
                                     const Collectives& collectives,
                                     const PipelineLayout& layout) {
  const NetworkLevels& network = problem.network;
  const bool aligned = is_aligned(network, configuration.tensor);
  std::vector<Position> positions(layout.stages + 1);
  for (std::size_t s = 1; s <= layout.stages; ++s) {
    Position& position = positions[s];
    if (s < layout.stages) {
      position.in = collectives.point_to_point(boundary_level(network, layout, s), senders(layout));
      positions[s + 1].out = position.in;
    }
    const std::size_t dense_ranks = std::size_t{configuration.context} * configuration.expert;
    const GroupShape dense =
        gradient_shape(network, layout, s, configuration.tensor, dense_ranks, aligned);
    position.dense_reduce = collectives.all_reduce(dense);
    position.dense_scatter = collectives.reduce_scatter(dense);
    position.dense_gather = collectives.all_gather(dense);
    if (configuration.expert > 1) {
      const GroupShape expert =
          gradient_shape(network, layout, s, configuration.tensor, configuration.context, aligned);
      position.expert_reduce = collectives.all_reduce(expert);
      position.expert_scatter = collectives.reduce_scatter(expert);
      position.expert_gather = collectives.all_gather(expert);
    } else {
      position.expert_reduce = position.dense_reduce;
      position.expert_scatter = position.dense_scatter;
      position.expert_gather = position.dense_gather;
    }
    position.memory_bytes = INFINITY;
    for (std::size_t r = 0; r < layout.data; ++r) {
      for (std::size_t k = 0; k < layout.block; ++k) {
        const auto device_class =
            static_cast<std::uint32_t>(problem.class_of(layout.first_device(r, s) + k));
        if (std::find(position.classes.begin(), position.classes.end(), device_class) ==
            position.classes.end()) {
          position.classes.push_back(device_class);
          position.memory_bytes =
              std::min(position.memory_bytes, problem.classes[device_class].memory_bytes);
        }
        if (problem.classes.size() == 1) {
          break;
        }
      }
    }
    std::sort(position.classes.begin(), position.classes.end());
  }
  return positions;
}

CollectiveCost tied_reduce(const StrategyProblem& problem,
                           const Collectives& collectives,
                           const PipelineLayout& layout) {
  CollectiveCost worst;
  std::size_t level = 0;
  for (std::size_t r = 0; r < layout.data; ++r) {
    const std::size_t last = layout.first_device(r, 1);
    const std::size_t first = layout.first_device(r, layout.stages);
    level = std::max(level, problem.network.level_between(first, last));
  }
  GroupShape pair;
  pair.members.assign(problem.network.num_levels(), 1);
  pair.members[level] = 2;
  return collectives.all_reduce(pair);
}

}  // namespace berth::nest
