// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "guarded_operators.hpp"

namespace berth::internal {
namespace {

class GuardedOperatorScheduler final : public OperatorScheduler {
 public:
  explicit GuardedOperatorScheduler(std::unique_ptr<PluginObject> object)
      : object_(std::move(object)) {}

  OperatorSchedule schedule(const OperatorGraph& graph, const SolverLimits& limits) override {
    check_operators(graph);
    OperatorSchedule answer = guarded(object_->who(), "schedule", [&] {
      return object_->as<OperatorScheduler>().schedule(graph, limits);
    });
    try {
      check_operator_schedule(graph, answer);
    } catch (const InputError& error) {
      throw PluginError(object_->who() +
                        ": schedule answered an illegal schedule: " + error.what());
    }
    return answer;
  }

  std::string program(const OperatorGraph& graph) override {
    check_operators(graph);
    return guarded(
        object_->who(), "program", [&] { return object_->as<OperatorScheduler>().program(graph); });
  }

  ProgramAnswer solve(std::string_view program, const SolverLimits& limits) override {
    return guarded(object_->who(), "solve", [&] {
      return object_->as<OperatorScheduler>().solve(program, limits);
    });
  }

 private:
  std::unique_ptr<PluginObject> object_;
};

}  // namespace

std::unique_ptr<OperatorScheduler> guard_operators(std::unique_ptr<PluginObject> object) {
  return std::make_unique<GuardedOperatorScheduler>(std::move(object));
}

}  // namespace berth::internal
