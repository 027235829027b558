// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/parallel_plan.hpp"

#include <string>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {

std::size_t ParallelPlan::devices_used() const noexcept {
  std::size_t per_replica = 0;
  for (const PlanStage& stage : stages) {
    per_replica += stage.devices;
  }
  return per_replica * data;
}

void check_plan(const StrategyProblem& problem, const ParallelPlan& plan) {
  const auto refuse = [&problem](const std::string& what) {
    throw InputError(problem.model + ": plan " + what);
  };
  if (plan.configuration >= problem.configurations.size() || plan.stages.empty() ||
      plan.data == 0 || plan.first_device.size() != plan.data) {
    refuse("without a known configuration, stages or device lists; expected all three");
  }
  std::size_t next = 0;
  for (const PlanStage& stage : plan.stages) {
    if (stage.first_layer != next || stage.num_layers == 0) {
      refuse("has a stage from layer " + std::to_string(stage.first_layer) + "; expected " +
             std::to_string(next) + ", every layer in exactly one stage");
    }
    next += stage.num_layers;
  }
  if (next != problem.layers.size()) {
    refuse("has " + std::to_string(next) + " layers; expected " +
           std::to_string(problem.layers.size()));
  }
  std::vector<bool> taken(problem.network.num_devices(), false);
  for (const std::vector<std::uint32_t>& replica : plan.first_device) {
    if (replica.size() != plan.stages.size()) {
      refuse("has a replica without a device for every stage; expected one block each");
    }
    for (std::size_t q = 0; q < replica.size(); ++q) {
      for (std::size_t d = replica[q]; d < replica[q] + plan.stages[q].devices; ++d) {
        if (d >= taken.size() || taken[d]) {
          refuse("uses device " + std::to_string(d) +
                 (d >= taken.size() ? ", which does not exist" : " twice"));
        }
        taken[d] = true;
      }
    }
  }
}

}  // namespace abi_v1
}  // namespace berth
