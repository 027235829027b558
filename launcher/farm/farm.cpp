// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "farm.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "berth/rng.hpp"

namespace berth::launcher {
namespace {

using Clock = std::chrono::steady_clock;

/// Tells weights apart that should be equal on all ranks; not a checksum against damage.
std::uint64_t hash_of(std::span<const float> values) {
  std::uint64_t hash = values.size();
  for (std::size_t i = 0; i < values.size(); i += 2) {
    std::uint64_t word = 0;
    std::memcpy(&word, &values[i], sizeof(float) * std::min<std::size_t>(2, values.size() - i));
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29U;
  }
  return mix64(hash);
}

std::string describe(const RolloutReport& report) {
  return "rollout " + std::to_string(report.id) + " (seed " + std::to_string(report.seed) +
         ", policy version " + std::to_string(report.policy_version) + "): " + report.reason;
}

/// A placement that ran too long, or found no memory, is known to be bad: that is learned from.
bool is_scored(const RolloutOutcome& outcome) {
  return outcome.status == RolloutStatus::kOk ||
         (outcome.spec.stage == Stage::kReal && outcome.status != RolloutStatus::kFailed);
}

double ratio(double makespan, double lower_bound) {
  return lower_bound > 0.0 ? makespan / lower_bound : makespan;
}

}  // namespace

FarmOutput::~FarmOutput() = default;

Farm::Farm(MpiSession& session,
           TrainablePolicy& policy,
           const Problems& problems,
           const FarmSettings& settings,
           CampaignRecord& record,
           FarmOutput* output,
           Watchdog& watchdog,
           Logger& logger,
           Measurer* measurer)
    : session_(session),
      policy_(policy),
      problems_(problems),
      settings_(settings),
      record_(record),
      output_(output),
      watchdog_(watchdog),
      logger_(logger),
      measurer_(measurer),
      runner_(policy,
              problems,
              settings.division,
              settings.division.groups_of(session.rank(), session.size()),
              settings.seed),
      sum_(session, settings.division, policy.parameters().size()) {}

int Farm::run(const StopSignal& stop) {
  while (record_.update < settings_.plan.updates()) {
    if (!update(stop)) {
      if (output_ != nullptr) {
        output_->checkpoint(record_, checkpoints::Standing::kLatest);
      }
      return stop_signal_;
    }
  }
  return 0;
}

bool Farm::update(const StopSignal& stop) {
  const auto begin = Clock::now();
  const StagePlan::Position position = settings_.plan.at(record_.update);
  UpdateSummary summary;
  summary.stage = position.stage;
  const std::vector<RankReport> reports = exchange(position, stop);
  if (stop_signal_ != 0) {
    return false;
  }
  std::vector<TrialScore> scores;
  if (position.stage == Stage::kReal) {
    scores = measure(reports, summary, stop);
    if (stop_signal_ != 0) {
      return false;
    }
  }
  std::vector<RolloutOutcome> outcomes = merge(reports, scores, position, summary);
  watchdog_.alive("assessment of update", record_.update);
  policy_.assess(outcomes);
  if (position.stage == Stage::kReal) {
    count_trials(reports, scores, summary);
    take_challengers(reports, summary);
  } else {
    take_candidates(reports);
  }
  learn(outcomes, position);
  ++record_.update;
  if (output_ != nullptr) {
    summary.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    output_->updated(record_, summary);
  }
  checkpoint_if_due(position.stage);
  return true;
}

std::vector<RankReport> Farm::exchange(const StagePlan::Position& position,
                                       const StopSignal& stop) {
  RankReport mine = runner_.run(position, record_, stop, watchdog_);
  mine.parameter_hash = hash_of(policy_.parameters());
  watchdog_.alive("exchange of update", record_.update);
  std::vector<RankReport> reports;
  for (const std::string& bytes : session_.all_gather(encode(mine), "rollouts of an update")) {
    reports.push_back(decode_report(bytes));
    if (reports.back().stop_signal != 0) {
      stop_signal_ = reports.back().stop_signal;
    }
    if (reports.back().parameter_hash != reports.front().parameter_hash) {
      throw AgreedFailure(
          "update " + std::to_string(record_.update) + ": rank " +
          std::to_string(reports.size() - 1) +
          " holds other weights than rank 0; expected equal ones; are all ranks of one build and "
          "one processor type?");
    }
  }
  return reports;
}

std::vector<RolloutOutcome> Farm::merge(const std::vector<RankReport>& reports,
                                        const std::vector<TrialScore>& scores,
                                        const StagePlan::Position& position,
                                        UpdateSummary& summary) {
  const WorkDivision& division = settings_.division;
  std::vector<RolloutOutcome> outcomes;
  std::vector<RolloutReport> failed;
  std::vector<double> sum(problems_.size(), 0.0);
  std::vector<double> count(problems_.size(), 0.0);
  for (const RankReport& rank : reports) {
    for (const RolloutReport& report : rank.rollouts) {
      const RolloutSpec spec = division.spec(
          settings_.seed, record_.update, outcomes.size(), position.stage, position.progress);
      BERTH_CHECK(report.id == index(spec.id) && report.policy_version == record_.update,
                  "rollout " + std::to_string(report.id) + " of policy version " +
                      std::to_string(report.policy_version) + " is stale or a duplicate");
      RolloutOutcome& outcome =
          outcomes.emplace_back(RolloutOutcome{spec, report.status, report.makespan, 0.0});
      record_.problems[spec.problem].simulations += report.simulations;
      const bool measures = position.stage == Stage::kReal;
      if (measures) {
        const TrialScore& score = scores[outcomes.size() - 1];
        outcome.status = score.status;
        outcome.makespan = score.makespan;
      }
      if (!is_scored(outcome)) {
        failed.push_back(report);
        failed.back().reason = measures ? scores[outcomes.size() - 1].reason : report.reason;
        continue;
      }
      sum[spec.problem] += outcome.makespan;
      count[spec.problem] += 1.0;
      record_.window_ratio_sum += ratio(outcome.makespan, problems_[spec.problem]->lower_bound);
      ++record_.window_count;
      if (!measures) {
        double& learned = record_.problems[spec.problem].learned_makespan;
        learned = std::min(learned, outcome.makespan);
      }
    }
  }
  reject_failures(failed);
  record_.rollouts += outcomes.size();
  record_.failed += failed.size();
  summary.rollouts = outcomes.size();
  summary.failed = failed.size();
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    summary.mean_makespan.push_back(count[p] > 0.0 ? sum[p] / count[p]
                                                   : std::numeric_limits<double>::quiet_NaN());
  }
  return outcomes;
}

void Farm::reject_failures(const std::vector<RolloutReport>& failed) const {
  constexpr std::size_t kShown = 3;
  const auto rollouts = static_cast<double>(settings_.division.rollouts);
  const auto count = static_cast<double>(failed.size());
  if (count > settings_.max_failed_rollouts * rollouts) {
    throw AgreedFailure("update " + std::to_string(record_.update) + ": " +
                        std::to_string(failed.size()) + " of " +
                        std::to_string(settings_.division.rollouts) +
                        " rollouts failed, more than --max-failed-rollouts allows; the first: " +
                        describe(failed.front()));
  }
  for (std::size_t i = 0; i < std::min(failed.size(), kShown) && session_.rank() == 0; ++i) {
    logger_.warning("rejected " + describe(failed[i]));
  }
}

void Farm::take_candidates(const std::vector<RankReport>& reports) {
  for (std::uint32_t p = 0; p < problems_.size(); ++p) {
    const Candidate* best = nullptr;
    for (const RankReport& rank : reports) {
      for (const Candidate& candidate : rank.candidates) {
        // Ranks are in the order of ids: the first of equals has the least id.
        if (candidate.problem == p && (best == nullptr || candidate.makespan < best->makespan)) {
          best = &candidate;
        }
      }
    }
    if (best != nullptr) {
      ProblemRecord& problem = record_.problems[p];
      problem.best = best->placement;
      problem.best_makespan = best->makespan;
      problem.best_source = "rollout " + std::to_string(best->id);
      policy_.improved(*problems_[p], p, problem.best, problem.best_makespan);
    }
  }
}

void Farm::learn(const std::vector<RolloutOutcome>& outcomes, const StagePlan::Position& position) {
  std::vector<ScoredRollout> group;
  const auto leaf = [&](std::uint64_t number, std::span<float> out) {
    watchdog_.alive("gradient of update", record_.update);
    group.clear();
    const Range rollouts = settings_.division.rollouts_of(number);
    for (std::uint64_t i = rollouts.begin; i < rollouts.end; ++i) {
      if (is_scored(outcomes[i])) {
        group.push_back({&runner_.rollout(i), outcomes[i]});
      }
    }
    if (!group.empty()) {
      policy_.gradient(*problems_[group.front().outcome.spec.problem], group, out);
    }
  };
  const std::span<const float> gradient = sum_(leaf);
  const auto bad = std::ranges::find_if_not(gradient, [](float x) { return std::isfinite(x); });
  if (bad != gradient.end()) {
    throw AgreedFailure("update " + std::to_string(record_.update) +
                        ": the gradient of parameter " + std::to_string(bad - gradient.begin()) +
                        " is " + std::to_string(*bad) +
                        "; expected finite numbers; lower the learning rate");
  }
  watchdog_.alive("step of update", record_.update);
  StepSpec step;
  step.update = record_.update;
  step.stage = position.stage;
  step.progress = position.progress;
  step.rollouts = static_cast<std::uint64_t>(std::ranges::count_if(outcomes, is_scored));
  policy_.step(gradient, step);
}

void Farm::checkpoint_if_due(Stage stage) {
  if (record_.update % settings_.checkpoint_every != 0 &&
      record_.update != settings_.plan.updates()) {
    return;
  }
  auto standing = checkpoints::Standing::kLatest;
  const auto stage_number = static_cast<std::uint64_t>(stage);
  if (record_.window_count > 0) {
    const double mean = record_.window_ratio_sum / static_cast<double>(record_.window_count);
    if (stage_number > record_.best_window_stage || mean < record_.best_window_ratio) {
      record_.best_window_ratio = mean;
      record_.best_window_stage = stage_number;
      standing = checkpoints::Standing::kLatestAndBest;
    }
  }
  record_.window_ratio_sum = 0.0;
  record_.window_count = 0;
  if (output_ != nullptr) {
    watchdog_.alive("checkpoint of update", record_.update);
    output_->checkpoint(record_, standing);
  }
}

}  // namespace berth::launcher
