// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// What the farm does in stages of kind execution: some ranks run placements on real devices.

#include <algorithm>
#include <chrono>

#include "berth/simulator.hpp"

#include "farm.hpp"
#include "measure_group.hpp"

namespace berth::launcher {
namespace {

/// While others measure, a rank that waits takes no more than a look now and then.
constexpr std::chrono::microseconds kQuietNap{2000};
constexpr std::chrono::microseconds kNap{20};

const Placement& placement_of(const std::vector<RankReport>& reports, std::uint64_t id) {
  for (const RankReport& rank : reports) {
    for (std::size_t i = 0; i < rank.rollouts.size(); ++i) {
      if (rank.rollouts[i].id == id) {
        return rank.placements[i];
      }
    }
  }
  throw InternalError("rollout " + std::to_string(id) + " is of no rank");
}

}  // namespace

void Farm::choose_incumbents() {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    ProblemRecord& problem = record_.problems[p];
    if (problem.measured.has_incumbent()) {
      continue;
    }
    if (problem.best.device.empty()) {
      throw AgreedFailure("'" + problems_[p]->name +
                          "' has no placement to start measuring from; expected incumbents, or a "
                          "stage before that finds one");
    }
    const Placement& given = settings_.given[p];
    const bool starts_from_given = !given.device.empty();
    MeasuredRecord& measured = problem.measured;
    measured.incumbent = starts_from_given ? given : problem.best;
    measured.source = starts_from_given ? "given" : problem.best_source;
    measured.simulated = starts_from_given
                             ? Simulator(*problems_[p]).makespan(given.device, given.order)
                             : problem.best_makespan;
    measured.nominal = measured.simulated;
  }
}

std::vector<TrialScore> Farm::measure(const std::vector<RankReport>& reports,
                                      UpdateSummary& summary,
                                      const StopSignal& stop) {
  choose_incumbents();
  const TrialSettings& settings = settings_.measure.trials;
  const TrialPlan plan = plan_trials(reports, record_.problems, settings);
  MeasureReport mine;
  if (measurer_ != nullptr) {
    const MeasurePlace place = measure_place(
        session_.rank(), session_.size(), settings_.measure.ranks, settings_.measure.group);
    mine = measurer_->run(plan.share_of(place.group, place.groups), record_, stop, watchdog_);
    if (place.ranks.front() != session_.rank()) {
      mine.problems.clear();  // its group's first rank tells the same
    }
  } else {
    mine.stop_signal = stop.raised();
  }
  watchdog_.alive("measurements of update", record_.update);
  session_.set_nap(kQuietNap);
  for (const std::string& bytes : session_.all_gather(encode(mine), "measurements of an update")) {
    summary.measurements.push_back(decode_measurements(bytes));
    if (summary.measurements.back().stop_signal != 0) {
      stop_signal_ = summary.measurements.back().stop_signal;
    }
  }
  session_.set_nap(kNap);
  if (stop_signal_ != 0) {
    return {};
  }
  return score_trials(
      plan, reports, summary.measurements, record_.problems, record_.update, settings);
}

void Farm::count_trials(const std::vector<RankReport>& reports,
                        const std::vector<TrialScore>& scores,
                        UpdateSummary& summary) {
  summary.trials.assign(problems_.size(), {});
  std::size_t number = 0;
  for (const RankReport& rank : reports) {
    for (const RolloutReport& report : rank.rollouts) {
      const TrialScore& score = scores[number++];
      TrialSummary& trials = summary.trials[report.problem];
      if (score.measured == nullptr) {
        trials.screened += score.is_screened ? 1 : 0;
      } else if (score.status == RolloutStatus::kOutOfMemory) {
        ++trials.out_of_memory;
      } else if (score.status != RolloutStatus::kFailed) {
        ++trials.measured;
        trials.timed_out += score.status == RolloutStatus::kTimeout ? 1 : 0;
        trials.regret += score.ratio - 1.0;
        trials.worst_regret = std::max(trials.worst_regret, score.ratio - 1.0);
        trials.best_ratio =
            trials.best_ratio > 0.0 ? std::min(trials.best_ratio, score.ratio) : score.ratio;
      }
    }
  }
  for (std::uint32_t p = 0; p < problems_.size(); ++p) {
    TrialSummary& trials = summary.trials[p];
    MeasuredRecord& known = record_.problems[p].measured;
    trials.incumbent_seconds = incumbent_seconds(summary.measurements, p);
    if (trials.incumbent_seconds > 0.0) {
      known.seconds = trials.incumbent_seconds;
      known.first_seconds = known.first_seconds > 0.0 ? known.first_seconds : known.seconds;
    }
    known.measured += trials.measured;
    known.timed_out += trials.timed_out;
    known.out_of_memory += trials.out_of_memory;
    known.screened += trials.screened;
    known.regret += trials.regret;
    known.worst_regret = std::max(known.worst_regret, trials.worst_regret);
  }
}

void Farm::take_challengers(const std::vector<RankReport>& reports, UpdateSummary& summary) {
  for (std::uint32_t p = 0; p < problems_.size(); ++p) {
    const Adoption adoption =
        best_challenger(summary.measurements, p, settings_.measure.trials.adopt_margin);
    if (adoption.id == MeasuredProblem::kNoChallenger) {
      continue;
    }
    MeasuredRecord& known = record_.problems[p].measured;
    known.incumbent = placement_of(reports, adoption.id);
    known.source = "rollout " + std::to_string(adoption.id);
    known.nominal *= adoption.ratio;
    known.seconds *= adoption.ratio;
    known.simulated =
        Simulator(*problems_[p]).makespan(known.incumbent.device, known.incumbent.order);
    ++known.adopted;
    summary.trials[p].adopted = adoption.id;
    summary.trials[p].adopted_ratio = adoption.ratio;
    policy_.improved(*problems_[p], p, known.incumbent, known.nominal);
  }
}

}  // namespace berth::launcher
