// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "guarded_partitioner.hpp"

namespace berth::internal {
namespace {

class GuardedPartitioner final : public GraphPartitioner {
 public:
  explicit GuardedPartitioner(std::unique_ptr<PluginObject> object) : object_(std::move(object)) {}

  PartitionAnswer partition(const PartitionProblem& problem) override {
    PartitionAnswer answer = guarded(object_->who(), "partition", [&] {
      return object_->as<GraphPartitioner>().partition(problem);
    });
    const std::string answered = object_->who() + ": partition answered ";
    if (answer.plans.size() > 1) {
      throw PluginError(answered + std::to_string(answer.plans.size()) +
                        " plans; expected one, or none");
    }
    if (answer.plans.empty() && answer.infeasible.empty()) {
      throw PluginError(answered + "no plan and no reason; expected one of them");
    }
    for (PartitionPlan& plan : answer.plans) {
      try {
        const PartitionScore score = score_partition(problem, plan);
        if (!score.fits) {
          throw PluginError(answered + "a plan that needs more memory or devices than there are");
        }
        plan.slowest_seconds = score.slowest_seconds;
        for (std::size_t q = 0; q < plan.stages.size(); ++q) {
          plan.stages[q].seconds = score.seconds[q];
          plan.stages[q].memory_bytes = score.memory_bytes[q];
        }
      } catch (const InputError& error) {
        throw PluginError(answered + "an illegal plan: " + error.what());
      }
    }
    return answer;
  }

 private:
  std::unique_ptr<PluginObject> object_;
};

}  // namespace

std::unique_ptr<GraphPartitioner> guard_partitioner(std::unique_ptr<PluginObject> object) {
  return std::make_unique<GuardedPartitioner>(std::move(object));
}

}  // namespace berth::internal
