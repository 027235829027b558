// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trials.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "berth/error.hpp"

#include "quartiles.hpp"

namespace berth::launcher {
namespace {

/// A rollout with its placement, by number over all ranks.
struct TrialEntry {
  const RolloutReport* report = nullptr;
  const Placement* placement = nullptr;
};

std::vector<TrialEntry> entries_of(const std::vector<RankReport>& reports) {
  std::vector<TrialEntry> entries;
  for (const RankReport& rank : reports) {
    BERTH_CHECK(rank.placements.size() == rank.rollouts.size(), "a placement for each rollout");
    for (std::size_t i = 0; i < rank.rollouts.size(); ++i) {
      entries.push_back({&rank.rollouts[i], &rank.placements[i]});
    }
  }
  return entries;
}

/// A measurement with the incumbent's median beside it.
struct Found {
  const MeasuredRollout* rollout = nullptr;
  double incumbent_seconds = 0.0;
};

std::map<std::uint64_t, Found> by_id(const TrialPlan& plan,
                                     const std::vector<MeasureReport>& measured,
                                     std::uint64_t policy_version) {
  std::map<std::uint64_t, Found> found;
  for (const MeasureReport& rank : measured) {
    for (const MeasuredProblem& problem : rank.problems) {
      const double incumbent = median_of(problem.incumbent_seconds);
      for (const MeasuredRollout& rollout : problem.rollouts) {
        const auto trial = std::ranges::find(plan.trials, rollout.id, &Trial::id);
        const std::string name = "measurement of rollout " + std::to_string(rollout.id) +
                                 ", policy version " + std::to_string(rollout.policy_version);
        BERTH_CHECK(rollout.policy_version == policy_version, name + ", is stale");
        BERTH_CHECK(trial != plan.trials.end() && trial->problem == problem.problem,
                    name + ", was not asked for");
        BERTH_CHECK(found.emplace(rollout.id, Found{&rollout, incumbent}).second,
                    name + ", is a duplicate");
      }
    }
  }
  BERTH_CHECK(found.size() == plan.trials.size(),
              std::to_string(found.size()) + " measurements of " +
                  std::to_string(plan.trials.size()) + " rollouts");
  return found;
}

TrialScore score_of(const Found& found, double nominal, double limit) {
  TrialScore score;
  score.measured = found.rollout;
  score.status = found.rollout->status;
  score.reason = found.rollout->reason;
  if (score.status == RolloutStatus::kOk) {
    score.ratio = median_of(found.rollout->seconds) / found.incumbent_seconds;
    if (!std::isfinite(score.ratio) || score.ratio <= 0.0) {
      score.status = RolloutStatus::kFailed;
      score.reason = "measured at " + std::to_string(median_of(found.rollout->seconds)) +
                     " s, the incumbent at " + std::to_string(found.incumbent_seconds) +
                     " s; expected positive times";
    }
  } else if (score.status != RolloutStatus::kFailed) {
    score.ratio = limit;
  }
  score.makespan = nominal * score.ratio;
  return score;
}

}  // namespace

std::vector<Trial> TrialPlan::share_of(std::size_t k, std::size_t executors) const {
  std::vector<Trial> share;
  for (std::size_t i = k; i < trials.size(); i += executors) {
    share.push_back(trials[i]);
  }
  return share;
}

TrialPlan plan_trials(const std::vector<RankReport>& reports,
                      std::span<const ProblemRecord> problems,
                      const TrialSettings& settings) {
  const std::vector<TrialEntry> entries = entries_of(reports);
  TrialPlan plan;
  plan.scored_by.resize(entries.size());
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t number = 0; number < entries.size(); ++number) {
    const auto [report, placement] = entries[number];
    const MeasuredRecord& known = problems[report->problem].measured;
    BERTH_CHECK(known.has_incumbent(), "an incumbent before anything is measured");
    const auto twin = std::ranges::find_if(wanted, [&](std::uint64_t earlier) {
      return entries[earlier].report->problem == report->problem &&
             *entries[earlier].placement == *placement;
    });
    std::uint64_t& scored_by = plan.scored_by[number];
    if (report->status != RolloutStatus::kOk) {
      scored_by = TrialPlan::kFailed;
    } else if (*placement == known.incumbent) {
      scored_by = TrialPlan::kIncumbent;
    } else if (report->makespan > (1.0 + settings.bound) * known.simulated) {
      scored_by = TrialPlan::kScreened;
    } else if (twin != wanted.end()) {
      scored_by = *twin;
    } else {
      scored_by = number;
      wanted.push_back(number);
    }
  }
  if (settings.most > 0) {
    std::vector<std::uint64_t> by_makespan = wanted;
    std::ranges::stable_sort(
        by_makespan, {}, [&](std::uint64_t n) { return entries[n].report->makespan; });
    std::vector<std::uint64_t> taken(problems.size(), 0);
    for (const std::uint64_t number : by_makespan) {
      if (++taken[entries[number].report->problem] > settings.most) {
        std::erase(wanted, number);
        std::ranges::replace(plan.scored_by, number, TrialPlan::kScreened);
      }
    }
  }
  for (const std::uint64_t number : wanted) {
    const auto [report, placement] = entries[number];
    plan.trials.push_back({number, report->id, report->problem, placement});
  }
  return plan;
}

std::vector<TrialScore> score_trials(const TrialPlan& plan,
                                     const std::vector<RankReport>& reports,
                                     const std::vector<MeasureReport>& measured,
                                     std::span<const ProblemRecord> problems,
                                     std::uint64_t policy_version,
                                     const TrialSettings& settings) {
  const std::vector<TrialEntry> entries = entries_of(reports);
  const std::map<std::uint64_t, Found> found = by_id(plan, measured, policy_version);
  std::vector<TrialScore> scores(entries.size());
  for (std::uint64_t number = 0; number < entries.size(); ++number) {
    const RolloutReport& report = *entries[number].report;
    const MeasuredRecord& known = problems[report.problem].measured;
    const std::uint64_t source = plan.scored_by[number];
    TrialScore& score = scores[number];
    if (source == TrialPlan::kFailed) {
      score.status = report.status;
      score.reason = report.reason;
    } else if (source == TrialPlan::kIncumbent) {
      score.makespan = known.nominal;
    } else if (source == TrialPlan::kScreened) {
      score.is_screened = true;
      score.makespan = report.makespan * known.nominal / known.simulated;
    } else {
      score = score_of(found.at(entries[source].report->id), known.nominal, settings.limit);
      if (source != number) {
        score.measured = nullptr;
      }
    }
  }
  return scores;
}

Adoption best_challenger(const std::vector<MeasureReport>& measured,
                         std::uint32_t problem,
                         double adopt_margin) {
  Adoption best;
  best.ratio = 1.0 - adopt_margin;
  for (const MeasureReport& rank : measured) {
    for (const MeasuredProblem& found : rank.problems) {
      if (found.problem != problem || found.challenger == MeasuredProblem::kNoChallenger ||
          found.challenger_again.empty()) {
        continue;
      }
      std::size_t wins = 0;
      const std::size_t rounds =
          std::min(found.challenger_again.size(), found.incumbent_again.size());
      for (std::size_t round = 0; round < rounds; ++round) {
        wins += found.challenger_again[round] < found.incumbent_again[round] ? 1 : 0;
      }
      if (4 * wins < 3 * rounds) {
        continue;
      }
      const double ratio = median_of(found.challenger_again) / median_of(found.incumbent_again);
      if (ratio < best.ratio || (ratio == best.ratio && found.challenger < best.id &&
                                 best.id != MeasuredProblem::kNoChallenger)) {
        best = {found.challenger, ratio};
      }
    }
  }
  return best;
}

double incumbent_seconds(const std::vector<MeasureReport>& measured, std::uint32_t problem) {
  std::vector<double> all;
  for (const MeasureReport& rank : measured) {
    for (const MeasuredProblem& found : rank.problems) {
      if (found.problem == problem) {
        all.insert(all.end(), found.incumbent_seconds.begin(), found.incumbent_seconds.end());
      }
    }
  }
  return median_of(std::move(all));
}

}  // namespace berth::launcher
