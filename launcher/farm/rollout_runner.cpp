// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "rollout_runner.hpp"

#include <cmath>

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

Range rollouts_of(const WorkDivision& division, Range groups) {
  if (groups.size() == 0) {
    return {};
  }
  return {division.rollouts_of(groups.begin).begin, division.rollouts_of(groups.end - 1).end};
}

/// Keeps the best of a problem's rollouts that beat what is known; the first where several tie.
void offer_candidate(std::vector<Candidate>& candidates,
                     const RolloutReport& report,
                     const Placement& placement) {
  auto place = candidates.begin();
  while (place != candidates.end() && place->problem < report.problem) {
    ++place;
  }
  if (place == candidates.end() || place->problem != report.problem) {
    place = candidates.insert(place, Candidate{});
    place->problem = report.problem;
  }
  if (report.makespan < place->makespan) {
    place->id = report.id;
    place->makespan = report.makespan;
    place->placement = placement;
  }
}

}  // namespace

RolloutRunner::RolloutRunner(const TrainablePolicy& policy,
                             const Problems& problems,
                             const WorkDivision& division,
                             Range own,
                             std::uint64_t seed)
    : policy_(&policy),
      problems_(&problems),
      division_(division),
      own_rollouts_(rollouts_of(division, own)),
      seed_(seed),
      rollouts_(own_rollouts_.size()) {
  for (const auto& problem : problems) {
    simulators_.push_back(std::make_unique<Simulator>(*problem));
  }
}

const Rollout& RolloutRunner::rollout(std::uint64_t number) const {
  BERTH_CHECK(number >= own_rollouts_.begin && number < own_rollouts_.end, "rollout of this rank");
  return rollouts_[number - own_rollouts_.begin];
}

RolloutReport RolloutRunner::run_one(const RolloutSpec& spec, Rollout& rollout) {
  RolloutReport report;
  report.id = index(spec.id);
  report.seed = spec.seed;
  report.problem = spec.problem;
  const PlacementProblem& problem = *(*problems_)[spec.problem];
  try {
    rollout = spec.stage == Stage::kImitation ? policy_->demonstrate(problem, spec)
                                              : policy_->rollout(problem, spec);
    report.simulations = rollout.simulations + 1;
    Simulator& simulator = *simulators_[spec.problem];
    report.makespan = simulator.makespan(rollout.placement.device, rollout.placement.order);
    if (!std::isfinite(report.makespan)) {
      // The checked call says what is wrong: memory, or an order that deadlocks.
      static_cast<void>(simulator.makespan(rollout.placement));
      throw RunError("makespan " + std::to_string(report.makespan) + "; expected a finite one");
    }
  } catch (const Error& error) {
    report.status = RolloutStatus::kFailed;
    report.makespan = 0.0;
    report.reason = error.what();
  }
  return report;
}

RankReport RolloutRunner::run(const StagePlan::Position& position,
                              const CampaignRecord& record,
                              const StopSignal& stop,
                              Watchdog& watchdog) {
  RankReport report;
  report.rollouts.reserve(own_rollouts_.size());
  for (std::uint64_t number = own_rollouts_.begin; number < own_rollouts_.end; ++number) {
    report.stop_signal = stop.raised();
    if (report.stop_signal != 0) {
      return report;
    }
    const RolloutSpec spec =
        division_.spec(seed_, record.update, number, position.stage, position.progress);
    watchdog.alive("rollout", index(spec.id));
    Rollout& rollout = rollouts_[number - own_rollouts_.begin];
    RolloutReport one = run_one(spec, rollout);
    one.policy_version = record.update;
    if (position.stage == Stage::kReal) {
      report.placements.push_back(rollout.placement);
    } else if (one.status == RolloutStatus::kOk &&
               one.makespan < record.problems[spec.problem].best_makespan) {
      offer_candidate(report.candidates, one, rollout.placement);
    }
    report.rollouts.push_back(std::move(one));
  }
  report.stop_signal = stop.raised();
  return report;
}

}  // namespace berth::launcher
