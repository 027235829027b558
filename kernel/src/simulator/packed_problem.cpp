// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "packed_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "berth/error.hpp"

#include "noise.hpp"

namespace berth::internal {
namespace {

void check_options(const ExecutionOptions& options) {
  if (options.streams == 0) {
    throw InputError("execution: 0 streams per device; expected at least 1");
  }
  for (const double sigma : {options.compute_noise, options.transfer_noise}) {
    if (!(sigma >= 0.0 && sigma <= kMostNoise)) {
      throw InputError("execution: noise of " + std::to_string(sigma) +
                       "; expected a standard deviation of the logarithm between 0 and 5");
    }
  }
}

void pack_ops(PackedProblem& packed) {
  const PlacementProblem& problem = *packed.problem;
  const auto offsets = problem.graph.out_offsets();
  const ExecutionOptions& options = problem.execution;
  packed.class_compute = problem.costs.class_compute;
  packed.ops.resize(packed.num_ops + 1);
  packed.initial.resize(packed.num_ops);
  for (std::size_t v = 0; v < packed.num_ops; ++v) {
    const double factor = static_cast<double>(
        noise_factor(options.compute_noise, options.noise_seed, NoiseOn::kCompute, v));
    for (std::size_t c = 0; c < packed.num_classes; ++c) {
      packed.class_compute[v * packed.num_classes + c] *= factor;
    }
    packed.ops[v] = {packed.class_compute[v * packed.num_classes], offsets[v]};
    const std::size_t pending = problem.graph.predecessors(to_id<OpId>(v)).size();
    packed.initial[v] = {0.0, static_cast<std::uint32_t>(pending), 0};
    if (pending == 0) {
      packed.sources.push_back(static_cast<std::uint32_t>(v));
    }
  }
  packed.ops[packed.num_ops] = {0.0, problem.graph.num_edges()};
}

void pack_edges(PackedProblem& packed) {
  const PlacementProblem& problem = *packed.problem;
  const ExecutionOptions& options = problem.execution;
  packed.edges.resize(problem.graph.num_edges());
  for (std::size_t e = 0; e < packed.edges.size(); ++e) {
    const float factor =
        noise_factor(options.transfer_noise, options.noise_seed, NoiseOn::kTransfer, e);
    packed.edges[e] = {problem.graph.edge_size()[e] * static_cast<double>(factor),
                       static_cast<std::uint32_t>(problem.graph.out_targets()[e]),
                       factor};
  }
}

void pack_links(PackedProblem& packed) {
  packed.latency = packed.problem->costs.latency;
  packed.inverse_speed = packed.problem->costs.inverse_speed;
  packed.plain_links = true;
  for (std::size_t a = 0; a < packed.num_devices; ++a) {
    for (std::size_t b = 0; b < packed.num_devices; ++b) {
      const std::size_t pair = a * packed.num_devices + b;
      if (a == b) {
        packed.latency[pair] = 0.0;
        packed.inverse_speed[pair] = 0.0;
      } else {
        packed.plain_links =
            packed.plain_links && packed.latency[pair] == 0.0 && packed.inverse_speed[pair] == 1.0;
      }
    }
  }
}

std::size_t widest_depth(const Graph& graph) {
  std::vector<std::uint32_t> depth(graph.num_ops(), 0);
  std::vector<std::size_t> width(graph.num_ops(), 0);
  for (const OpId op : graph.topological_order()) {
    for (const OpId producer : graph.predecessors(op)) {
      depth[index(op)] = std::max(depth[index(op)], depth[index(producer)] + 1);
    }
    ++width[depth[index(op)]];
  }
  return width.empty() ? 0 : *std::max_element(width.begin(), width.end());
}

/// Sets `restricted` and `time_passes`; refuses times whose sum is not finite.
void classify(PackedProblem& packed) {
  double shortest = kInfinity;
  double horizon = 0.0;
  for (std::size_t v = 0; v < packed.num_ops; ++v) {
    double longest = 0.0;
    for (std::size_t c = 0; c < packed.num_classes; ++c) {
      const double time = packed.class_compute[v * packed.num_classes + c];
      packed.restricted = packed.restricted || time == kInfinity;
      shortest = std::min(shortest, time);
      longest = time < kInfinity ? std::max(longest, time) : longest;
    }
    horizon += longest;
  }
  const double latency = *std::max_element(packed.latency.begin(), packed.latency.end());
  const double slowest =
      *std::max_element(packed.inverse_speed.begin(), packed.inverse_speed.end());
  for (const PackedEdge& edge : packed.edges) {
    horizon += static_cast<double>(edge.scale) * latency + edge.size * slowest;
  }
  if (!std::isfinite(horizon)) {
    throw InputError("graph '" + packed.problem->graph.name() +
                     "': the sum of its compute and transfer times overflows; expected a finite "
                     "number of time units");
  }
  // A sum never exceeds the horizon, so adding a quarter of its last place always counts.
  packed.time_passes = shortest > horizon * std::numeric_limits<double>::epsilon();
  for (const double capacity : packed.problem->costs.device_memory) {
    packed.restricted = packed.restricted || capacity < kInfinity;
  }
}

}  // namespace

PackedProblem::PackedProblem(const PlacementProblem& source)
    : problem(&source),
      num_ops(source.graph.num_ops()),
      num_devices(source.costs.num_devices),
      num_classes(source.costs.num_classes),
      device_class(source.costs.device_class),
      resident(num_devices) {
  BERTH_CHECK(num_ops < std::numeric_limits<std::uint32_t>::max(), "op ids fit 32 bits");
  check_options(source.execution);
  pack_ops(*this);
  pack_edges(*this);
  pack_links(*this);
  classify(*this);
  width = widest_depth(source.graph);
}

bool PackedProblem::is_legal(std::span<const DeviceId> device) const noexcept {
  if (!restricted) {
    return true;
  }
  const auto memory = problem->graph.memory_bytes();
  std::fill(resident.begin(), resident.end(), 0.0);
  for (std::size_t v = 0; v < num_ops; ++v) {
    if (compute(v, static_cast<std::uint32_t>(device[v])) == kInfinity) {
      return false;
    }
    resident[index(device[v])] += memory[v];
  }
  for (std::size_t d = 0; d < num_devices; ++d) {
    if (resident[d] > problem->costs.device_memory[d]) {
      return false;
    }
  }
  return true;
}

}  // namespace berth::internal
