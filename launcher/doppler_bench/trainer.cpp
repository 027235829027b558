// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/trainer.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "berth/error.hpp"
#include "berth/simulator.hpp"

#include "farm/farm.hpp"
#include "farm/measurer.hpp"
#include "farm/stop_signal.hpp"
#include "farm/watchdog.hpp"

namespace berth::launcher {
namespace {

/// Keeps the curve of a training; writes nothing.
class CurveKeeper final : public FarmOutput {
 public:
  explicit CurveKeeper(std::vector<CurvePoint>& curve) : curve_(&curve) {}

  void updated(const CampaignRecord& record, const UpdateSummary& summary) override {
    CurvePoint point;
    point.rollouts = record.rollouts;
    for (const ProblemRecord& problem : record.problems) {
      point.simulations += problem.simulations;
    }
    point.mean = summary.mean_makespan.front();
    point.best = record.problems.front().best_makespan;
    curve_->push_back(point);
  }
  void checkpoint(const CampaignRecord& /*record*/, checkpoints::Standing /*standing*/) override {}

 private:
  std::vector<CurvePoint>* curve_;
};

}  // namespace

TrainingPlan plan_training(std::uint64_t budget, std::uint64_t cost, double share) {
  TrainingPlan plan;
  const auto imitated = static_cast<std::uint64_t>(share * static_cast<double>(budget));
  const std::uint64_t simulated = share < 1.0 ? (budget - imitated) / cost : 0;
  // Small budgets get small updates, so that there are some.
  const std::uint64_t all = imitated + simulated;
  plan.rollouts = std::clamp<std::uint64_t>(all / 10, 1, 16);
  plan.stages = {{Stage::kImitation, imitated / plan.rollouts},
                 {Stage::kSimulation, simulated / plan.rollouts}};
  if (plan.updates() == 0) {
    plan.stages.front().updates = 1;
  }
  return plan;
}

std::unique_ptr<TrainablePolicy> Trainer::fresh(const PolicyRequest& request,
                                                std::uint64_t seed) const {
  return host_->trainable_policy(
      request.name, policy_config(*host_, TrainablePolicy::kInterface, request), seed);
}

std::uint64_t Trainer::cost_of(const PolicyRequest& request,
                               const PlacementProblem& problem) const {
  // Rollout 1 is never one of the few with a deep search: those come at multiples of four.
  RolloutSpec spec;
  spec.id = RolloutId{1};
  spec.seed = 1;
  return fresh(request, 1)->rollout(problem, spec).simulations + 1;
}

TrainingResult Trainer::train(TrainablePolicy& policy,
                              const Problems& problems,
                              const TrainingPlan& plan,
                              std::uint64_t seed,
                              const std::string& executor,
                              const Placement* given) const {
  const auto begin = std::chrono::steady_clock::now();
  TrainingResult result;
  result.record.problems.resize(problems.size());
  FarmSettings settings;
  settings.seed = seed;
  settings.division.rollouts = plan.rollouts;
  settings.division.group_size = std::max<std::uint64_t>(1, plan.rollouts / 4);
  settings.division.problems = static_cast<std::uint32_t>(problems.size());
  settings.plan = StagePlan(plan.stages);
  settings.checkpoint_every = settings.plan.updates();
  settings.given.resize(problems.size());
  if (given != nullptr) {
    ProblemRecord& record = result.record.problems.front();
    record.best = *given;
    record.best_makespan = Simulator(*problems.front()).makespan(*given);
    record.best_source = "given";
  }
  settings.measure.executor = executor;
  settings.measure.trials.bound = 0.15;
  settings.measure.trials.most = 4;
  std::optional<Measurer> measurer;
  if (settings.plan.has(Stage::kReal) && session_->rank() == session_->size() - 1) {
    measurer.emplace(*host_, problems, settings.measure);
  }
  CurveKeeper keeper(result.curve);
  Watchdog watchdog(0.0, [](const std::string&) {});
  Farm farm(*session_,
            policy,
            problems,
            settings,
            result.record,
            session_->rank() == 0 ? &keeper : nullptr,
            watchdog,
            *logger_,
            measurer ? &*measurer : nullptr);
  const int signal = farm.run(StopSignal(StopSignal::Heeds::kNone));
  BERTH_CHECK(signal == 0, "stopped by a signal that nobody heeds");
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace berth::launcher
