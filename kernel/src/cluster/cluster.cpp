// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/cluster.hpp"

#include <algorithm>
#include <set>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

void check_names(const std::vector<std::string>& types, const std::vector<Machine>& machines) {
  if (types.empty() || machines.empty()) {
    throw InputError("cluster: no accelerators; expected at least one machine with at least one");
  }
  std::set<std::string> seen;
  for (const std::string& type : types) {
    if (type.empty() || !seen.insert(type).second) {
      throw InputError("cluster: accelerator type '" + type +
                       "' is empty or named twice; expected unique names");
    }
  }
  seen.clear();
  for (const Machine& machine : machines) {
    if (!seen.insert(machine.name).second) {
      throw InputError("cluster: machine '" + machine.name +
                       "' is named twice; expected unique names");
    }
    if (machine.gpus.size() != types.size()) {
      throw InputError("cluster: machine '" + machine.name + "' counts " +
                       std::to_string(machine.gpus.size()) + " accelerator types; expected " +
                       std::to_string(types.size()));
    }
  }
}

}  // namespace

Cluster::Cluster(std::vector<std::string> types, std::vector<Machine> machines)
    : types_(std::move(types)), machines_(std::move(machines)) {
  check_names(types_, machines_);
  capacity_.assign(types_.size(), 0);
  largest_pool_.assign(types_.size(), 0);
  std::vector<std::uint32_t> in_machine(machines_.size(), 0);
  std::uint32_t next = 0;
  for (std::size_t t = 0; t < types_.size(); ++t) {
    for (std::size_t m = 0; m < machines_.size(); ++m) {
      const std::uint32_t count = machines_[m].gpus[t];
      if (count == 0) {
        continue;
      }
      pool_of_.insert(pool_of_.end(), count, static_cast<std::uint32_t>(pools_.size()));
      pools_.push_back({to_id<MachineId>(m), to_id<GpuTypeId>(t), next, count});
      next += count;
      capacity_[t] += count;
      largest_pool_[t] = std::max(largest_pool_[t], count);
      in_machine[m] += count;
    }
    if (capacity_[t] == 0) {
      throw InputError("cluster: no machine has accelerator type '" + types_[t] +
                       "'; remove the type or add a machine");
    }
  }
  largest_machine_ = *std::max_element(in_machine.begin(), in_machine.end());
}

}  // namespace abi_v1
}  // namespace berth
