// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "guarded_executor.hpp"

#include <cmath>

#include "berth/error.hpp"

namespace berth::internal {
namespace {

class GuardedExecutor final : public DeviceExecutor {
 public:
  /// @param open makes the executor by the factory.
  template <class Open>
  GuardedExecutor(std::unique_ptr<PluginObject> factory,
                  const PlacementProblem& problem,
                  const Open& open)
      : factory_(std::move(factory)), problem_(&problem) {
    executor_ = guarded(who(), "open", [&] { return open(*factory_); });
    if (executor_ == nullptr) {
      throw PluginError(who() + ": open gave no executor; expected one, or an error");
    }
  }

  double makespan(const Placement& placement) override {
    check_assignment(*problem_, placement);
    return guarded(who(), "makespan", [&] { return executor_->makespan(placement); });
  }

  Trace trace(const Placement& placement) override {
    check_assignment(*problem_, placement);
    return checked(guarded(who(), "trace", [&] { return executor_->trace(placement); }), "trace");
  }

  Measurement measure(const Placement& placement, const MeasureSpec& spec) override {
    check_assignment(*problem_, placement);
    Measurement found =
        guarded(who(), "measure", [&] { return executor_->measure(placement, spec); });
    const bool ok = found.status == RolloutStatus::kOk;
    bool sound = !ok || (found.seconds.size() == spec.repeats && found.median_seconds > 0.0);
    for (const double seconds : found.seconds) {
      sound = sound && std::isfinite(seconds) && seconds > 0.0;
    }
    if (!sound || !std::isfinite(found.median_seconds)) {
      throw PluginError(who() + ": measure answered " + std::to_string(found.seconds.size()) +
                        " times, median " + std::to_string(found.median_seconds) + " s; expected " +
                        std::to_string(spec.repeats) + " finite times above 0");
    }
    return found;
  }

  Trace last_trace() const override {
    return checked(guarded(who(), "last_trace", [&] { return executor_->last_trace(); }),
                   "last_trace");
  }
  std::vector<float> output(OpId op) const override {
    return guarded(who(), "output", [&] { return executor_->output(op); });
  }
  std::string description() const override {
    return guarded(who(), "description", [&] { return executor_->description(); });
  }

 private:
  [[nodiscard]] const std::string& who() const { return factory_->who(); }

  Trace checked(Trace trace, const char* operation) const {
    if (trace.ops.size() != problem_->graph.num_ops()) {
      throw PluginError(who() + ": " + operation + " answered " + std::to_string(trace.ops.size()) +
                        " ops; expected " + std::to_string(problem_->graph.num_ops()));
    }
    return trace;
  }

  std::unique_ptr<PluginObject> factory_;
  const PlacementProblem* problem_;
  std::unique_ptr<DeviceExecutor> executor_;
};

}  // namespace

std::unique_ptr<DeviceExecutor> open_guarded(std::unique_ptr<PluginObject> factory,
                                             const PlacementProblem& problem) {
  return std::make_unique<GuardedExecutor>(
      std::move(factory), problem, [&problem](const PluginObject& made) {
        return made.as<ExecutorFactory>().open(problem);
      });
}

std::unique_ptr<DeviceExecutor> open_guarded(std::unique_ptr<PluginObject> factory,
                                             const PlacementProblem& problem,
                                             PeerGroup& group) {
  return std::make_unique<GuardedExecutor>(
      std::move(factory), problem, [&problem, &group](const PluginObject& made) {
        return made.as<RankExecutorFactory>().open(problem, group);
      });
}

}  // namespace berth::internal
