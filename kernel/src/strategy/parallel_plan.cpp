// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/parallel_plan.hpp"

#include <numeric>
#include <string>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

class PlanCheck {
 public:
  PlanCheck(const StrategyProblem& problem, const ParallelPlan& plan)
      : problem_(problem), plan_(plan) {}

  void run() const {
    whole();
    layers();
    for (std::size_t q = 0; q < plan_.stages.size(); ++q) {
      stage(q);
    }
    if (plan_.chunks > 1) {
      interleaving();
    }
    devices();
    class_order();
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(problem_.model + ": plan " + what);
  }

  void whole() const {
    if (plan_.configuration >= problem_.configurations.size() || plan_.stages.empty() ||
        plan_.data == 0 || plan_.stages.front().replicas() != plan_.data) {
      refuse("without a known configuration, stages or device lists; expected all three");
    }
    if (plan_.zero_stage > 3) {
      refuse("with ZeRO stage " + std::to_string(plan_.zero_stage) + "; expected 0 to 3");
    }
    if (plan_.stages.front().configuration != plan_.configuration) {
      refuse("whose first stage has configuration " +
             std::to_string(plan_.stages.front().configuration) + "; expected " +
             std::to_string(plan_.configuration));
    }
  }

  void layers() const {
    std::size_t next = 0;
    for (const PlanStage& stage : plan_.stages) {
      if (stage.first_layer != next || stage.num_layers == 0) {
        refuse("has a stage from layer " + std::to_string(stage.first_layer) + "; expected " +
               std::to_string(next) + ", every layer in exactly one stage");
      }
      next += stage.num_layers;
    }
    if (next != problem_.layers.size()) {
      refuse("has " + std::to_string(next) + " layers; expected " +
             std::to_string(problem_.layers.size()));
    }
  }

  void stage(std::size_t q) const {
    const PlanStage& stage = plan_.stages[q];
    const std::string name = "stage " + std::to_string(q + 1);
    if (stage.configuration >= problem_.configurations.size()) {
      refuse("has an unknown configuration " + std::to_string(stage.configuration) + " in " + name);
    }
    const StrategyConfiguration& first = problem_.configurations[plan_.configuration];
    const StrategyConfiguration& own = problem_.configurations[stage.configuration];
    if (own.micro_batch != first.micro_batch || own.micro_batches != first.micro_batches) {
      refuse("has micro-batches of " + std::to_string(own.micro_batch) + " in " + name +
             "; expected those of the first stage, " + std::to_string(first.micro_batch));
    }
    if (stage.blocks.empty() || stage.devices == 0) {
      refuse("has no devices for " + name + "; expected a block per replica");
    }
    for (const std::vector<std::uint32_t>& block : stage.blocks) {
      if (block.size() != stage.devices) {
        refuse("has a block of " + std::to_string(block.size()) + " devices in " + name +
               "; expected " + std::to_string(stage.devices));
      }
    }
  }

  void interleaving() const {
    const std::size_t depth = plan_.depth();
    if (depth == 0 || plan_.stages.size() % plan_.chunks != 0 || !plan_.is_uniform()) {
      refuse("with " + std::to_string(plan_.chunks) +
             " chunks; expected stages that divide by them and equal degrees");
    }
    const std::size_t batch = problem_.configurations[plan_.configuration].micro_batches;
    if (batch % (depth * plan_.data) != 0) {
      refuse("interleaved with " + std::to_string(batch) + " micro-batches over " +
             std::to_string(plan_.data) + " replicas; expected a multiple of the depth " +
             std::to_string(depth) + " for each");
    }
    for (std::size_t q = depth; q < plan_.stages.size(); ++q) {
      if (plan_.stages[q].blocks != plan_.stages[q - depth].blocks) {
        refuse("has stage " + std::to_string(q + 1) + " on other devices than stage " +
               std::to_string(q - depth + 1) + "; expected its chunks on the same");
      }
    }
  }

  void devices() const {
    std::vector<bool> taken(problem_.network.num_devices(), false);
    for (std::size_t q = 0; q < plan_.depth(); ++q) {
      for (const std::vector<std::uint32_t>& block : plan_.stages[q].blocks) {
        for (const std::uint32_t d : block) {
          if (d >= taken.size() || taken[d]) {
            refuse("uses device " + std::to_string(d) +
                   (d >= taken.size() ? ", which does not exist" : " twice"));
          }
          taken[d] = true;
        }
      }
    }
  }

  void class_order() const {
    if (plan_.class_order.empty()) {
      return;
    }
    std::vector<bool> seen(problem_.classes.size(), false);
    for (const std::uint32_t c : plan_.class_order) {
      if (c >= seen.size() || seen[c]) {
        refuse("has device class " + std::to_string(c) +
               " in its order; expected every class once");
      }
      seen[c] = true;
    }
    if (plan_.class_order.size() != seen.size()) {
      refuse("orders " + std::to_string(plan_.class_order.size()) + " device classes; expected " +
             std::to_string(seen.size()));
    }
  }

  const StrategyProblem& problem_;
  const ParallelPlan& plan_;
};

}  // namespace

std::size_t ParallelPlan::devices_used() const noexcept {
  std::size_t used = 0;
  for (std::size_t q = 0; q < depth(); ++q) {
    used += stages[q].replicas() * stages[q].devices;
  }
  return used;
}

bool ParallelPlan::is_uniform() const noexcept {
  for (const PlanStage& stage : stages) {
    if (stage.configuration != stages.front().configuration ||
        stage.replicas() != stages.front().replicas()) {
      return false;
    }
  }
  return true;
}

std::vector<std::uint32_t> consecutive_block(std::size_t first, std::size_t count) {
  std::vector<std::uint32_t> block(count);
  std::iota(block.begin(), block.end(), static_cast<std::uint32_t>(first));
  return block;
}

void check_plan(const StrategyProblem& problem, const ParallelPlan& plan) {
  if (plan.chunks == 0) {
    throw InputError(problem.model + ": plan with 0 chunks; expected 1 or more");
  }
  PlanCheck(problem, plan).run();
}

}  // namespace abi_v1
}  // namespace berth
