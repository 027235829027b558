// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "device_memory.hpp"

#include <algorithm>
#include <map>
#include <new>

#include "berth/units.hpp"

namespace berth::executors {
namespace {

/// Beyond it the transitive closure and the quadratic planner cost more than memory.
constexpr std::size_t kMostOpsToReuse = 4096;

std::uint64_t input_bytes(const InputRegion& region) {
  return region.reals() * sizeof(float);
}

void fill(const InputRegion& region, float* out) {
  std::vector<std::uint32_t> at;
  for (const AxisRange& range : region.block) {
    at.push_back(range.begin);
  }
  const std::uint64_t reals = region.reals();
  for (std::uint64_t i = 0; i < reals; ++i) {
    out[i] = input_value(region.input, region.amplitude, at);
    for (std::size_t a = at.size(); a-- > 0;) {
      if (++at[a] < region.block[a].end) {
        break;
      }
      at[a] = region.block[a].begin;
    }
  }
}

}  // namespace

DeviceMemory::DeviceMemory(const PlacementProblem& problem,
                           const OpShapes& shapes,
                           std::uint32_t streams,
                           MemorySource& source,
                           const DeviceShare& share)
    : problem_(problem), shapes_(shapes), streams_(streams), source_(source), share_(share) {
  const std::size_t devices = problem.topology.num_devices();
  if (problem.graph.num_ops() <= kMostOpsToReuse) {
    reach_.emplace(problem.graph);
  }
  for (const OpShape& shape : shapes.ops) {
    bytes_.push_back(shape.output_reals * sizeof(float));
  }
  arenas_.resize(devices);
  used_bytes_.resize(devices);
  workspaces_.resize(devices * streams);
  inputs_.resize(devices);
  for (auto& regions : inputs_) {
    regions.resize(shapes.inputs.size());
  }
}

std::optional<std::string> DeviceMemory::shortage(const ExecutionPlan& plan,
                                                  const ArenaPlan& arenas) const {
  const std::size_t devices = plan.num_devices;
  std::vector<double> needed(devices, 0.0);
  std::vector<std::uint64_t> workspace(devices, 0);
  std::vector<std::vector<char>> reads(devices, std::vector<char>(shapes_.inputs.size(), 0));
  std::vector<double> fresh(devices, 0.0);  // bytes that its pool must still give
  for (std::uint32_t v = 0; v < plan.num_ops; ++v) {
    const std::size_t d = plan.device[v];
    needed[d] += problem_.graph.memory_bytes()[v];
    workspace[d] = std::max(workspace[d], shapes_.ops[v].workspace_reals * sizeof(float));
    for (const OperandShape& operand : shapes_.ops[v].operands) {
      const std::uint32_t region = operand.input_region;
      if (region != KernelOperand::kNoInput && reads[d][region] == 0) {
        reads[d][region] = 1;
        const auto bytes = static_cast<double>(input_bytes(shapes_.inputs[region]));
        needed[d] += bytes;
        fresh[d] += inputs_[d][region].size() == 0 ? bytes : 0.0;
      }
    }
  }
  for (std::size_t d = 0; d < devices; ++d) {
    const double arena = static_cast<double>(arenas.size[d]);
    needed[d] += arena + static_cast<double>(workspace[d] * streams_);
    fresh[d] += std::max(0.0, arena - static_cast<double>(arenas_[d].size()));
    if (needed[d] > problem_.costs.device_memory[d]) {
      return "device '" + problem_.topology.device(to_id<DeviceId>(d)).name + "' needs " +
             format(Bytes{needed[d]}) + " of " + format(Bytes{problem_.costs.device_memory[d]});
    }
  }
  std::map<std::uint32_t, double> wanted;  // of a pool
  for (std::uint32_t d = 0; d < devices; ++d) {
    if (share_.owns(d)) {
      wanted[source_.pool_of(share_.local(d))] += fresh[d];
    }
  }
  for (const auto& [pool, bytes] : wanted) {
    const double available = bytes > 0.0 ? source_.available(pool) : 0.0;
    if (available > 0.0 && bytes > 0.9 * available) {
      return "the placement needs " + format(Bytes{bytes}) + " more; " + source_.pool_name(pool) +
             " has " + format(Bytes{available});
    }
  }
  return std::nullopt;
}

std::optional<std::string> DeviceMemory::prepare(const ExecutionPlan& plan) {
  const Reachability* const reach = reach_ ? &*reach_ : nullptr;
  const auto planned = [&](Reuse reuse) {
    return plan_arenas(problem_.graph, plan, bytes_, reach, reuse);
  };
  ArenaPlan arenas = planned(source_.is_cached_apart() ? Reuse::kUnsent : Reuse::kAll);
  std::optional<std::string> reason = shortage(plan, arenas);
  if (reason && source_.is_cached_apart()) {
    arenas = planned(Reuse::kAll);
    reason = shortage(plan, arenas);
  }
  if (reason) {
    return reason;
  }
  try {
    for (std::uint32_t d = 0; d < plan.num_devices; ++d) {
      if (share_.owns(d)) {
        arenas_[d].reserve(source_, share_.local(d), arenas.size[d]);
      }
    }
    for (std::uint32_t v = 0; v < plan.num_ops; ++v) {
      const std::uint32_t d = plan.device[v];
      for (std::uint32_t s = 0; s < streams_ && share_.owns(d); ++s) {
        workspaces_[d * streams_ + s].reserve(
            source_, share_.local(d), shapes_.ops[v].workspace_reals * sizeof(float));
      }
    }
    place_inputs(plan);
  } catch (const std::bad_alloc&) {
    return "no more memory is given, though it was thought to suffice";
  }
  point(plan, arenas);
  return std::nullopt;
}

void DeviceMemory::place_inputs(const ExecutionPlan& plan) {
  std::vector<float> values;
  for (std::uint32_t v = 0; v < plan.num_ops; ++v) {
    const std::uint32_t d = plan.device[v];
    for (const OperandShape& operand : shapes_.ops[v].operands) {
      if (operand.input_region == KernelOperand::kNoInput || !share_.owns(d)) {
        continue;
      }
      Arena& arena = inputs_[d][operand.input_region];
      if (arena.size() == 0) {
        const InputRegion& region = shapes_.inputs[operand.input_region];
        arena.reserve(source_, share_.local(d), input_bytes(region));
        values.resize(region.reals());
        fill(region, values.data());
        source_.write(share_.local(d), arena.reals(), values);
      }
    }
  }
}

void DeviceMemory::point(const ExecutionPlan& plan, const ArenaPlan& arenas) {
  for (std::uint32_t d = 0; d < plan.num_devices; ++d) {
    used_bytes_[d] = share_.owns(d) ? arenas.size[d] : 0;
  }
  results_.assign(plan.num_tasks(), nullptr);
  for (std::uint32_t task = 0; task < plan.num_tasks(); ++task) {
    if (share_.owns(plan.device[task])) {
      results_[task] = arenas_[plan.device[task]].reals(arenas.offset[task]);
    }
  }
  sources_.clear();
  source_begin_.assign(1, 0);
  for (std::uint32_t v = 0; v < plan.num_ops; ++v) {
    const std::uint32_t device = plan.device[v];
    for (const OperandShape& operand : shapes_.ops[v].operands) {
      if (operand.input_region != KernelOperand::kNoInput) {
        sources_.push_back(inputs_[device][operand.input_region].reals());
      }
      for (const Piece& piece : operand.pieces) {
        const bool local = plan.device[piece.producer] == device;
        sources_.push_back(
            results_[local ? piece.producer : plan.transfer_task(piece.producer, device)]);
      }
    }
    source_begin_.push_back(sources_.size());
  }
}

}  // namespace berth::executors
