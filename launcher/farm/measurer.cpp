// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "measurer.hpp"

#include <algorithm>

#include "berth/error.hpp"

#include "executor_arguments.hpp"
#include "quartiles.hpp"

namespace berth::launcher {

Measurer::Measurer(PluginHost& host,
                   const Problems& problems,
                   const MeasureSettings& settings,
                   PeerGroup* group)
    : problems_(&problems), settings_(settings), group_(group) {
  for (const auto& problem : problems) {
    executors_.push_back(
        open_executor(host, settings.executor, /*emulate_links=*/false, *problem, group));
  }
}

int Measurer::raised(const StopSignal& stop) const {
  int signal = stop.raised();
  if (is_group()) {
    for (const std::string& other : group_->all_gather(std::to_string(signal), "signals", 0.0)) {
      signal = std::max(signal, std::stoi(other));
    }
  }
  return signal;
}

double Measurer::run_incumbent(std::uint32_t problem, const CampaignRecord& record) {
  const Measurement found =
      executors_[problem]->measure(record.problems[problem].measured.incumbent,
                                   {settings_.warm_up, /*repeats=*/1, settings_.timeout_seconds});
  if (found.status != RolloutStatus::kOk) {
    throw RunError("the incumbent of '" + (*problems_)[problem]->name + "' (" +
                   record.problems[problem].measured.source + ") does not run: " + found.reason +
                   "; expected a placement that runs within --run-timeout to start from");
  }
  return found.median_seconds;
}

void Measurer::run_trial(const Trial& trial, double incumbent_seconds, MeasuredRollout& rollout) {
  Measurement found;
  try {
    found = executors_[trial.problem]->measure(
        *trial.placement,
        {settings_.warm_up, /*repeats=*/1, settings_.trials.limit * incumbent_seconds});
  } catch (const PluginError& error) {  // an answer that is none, such as NaN seconds
    if (is_group()) {
      throw;  // the others may not have it
    }
    found.status = RolloutStatus::kFailed;
    found.reason = error.what();
  }
  rollout.status = found.status;
  rollout.reason = found.reason;
  rollout.seconds.insert(rollout.seconds.end(), found.seconds.begin(), found.seconds.end());
}

void Measurer::confirm(std::span<const Trial> trials,
                       const CampaignRecord& record,
                       const StopSignal& stop,
                       Watchdog& watchdog,
                       MeasuredProblem& found) {
  const double incumbent = median_of(found.incumbent_seconds);
  const Trial* best = nullptr;
  double least = incumbent * (1.0 - settings_.trials.adopt_margin);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const MeasuredRollout& rollout = found.rollouts[i];
    const double seconds = median_of(rollout.seconds);
    if (rollout.status == RolloutStatus::kOk && seconds < least) {
      best = &trials[i];
      least = seconds;
    }
  }
  if (best == nullptr) {
    return;
  }
  MeasuredRollout again;
  for (std::uint32_t round = 0; round < settings_.confirm && raised(stop) == 0; ++round) {
    watchdog.alive("confirmation of rollout", best->id);
    found.incumbent_again.push_back(run_incumbent(found.problem, record));
    run_trial(*best, incumbent, again);
    if (again.status != RolloutStatus::kOk) {
      return;  // no challenger any more
    }
  }
  found.challenger = best->id;
  found.challenger_again = again.seconds;
}

MeasureReport Measurer::run(std::span<const Trial> trials,
                            const CampaignRecord& record,
                            const StopSignal& stop,
                            Watchdog& watchdog) {
  MeasureReport report;
  for (std::uint32_t p = 0; p < problems_->size(); ++p) {
    std::vector<Trial> own;
    std::ranges::copy_if(
        trials, std::back_inserter(own), [p](const Trial& trial) { return trial.problem == p; });
    if (own.empty()) {
      continue;
    }
    MeasuredProblem& found = report.problems.emplace_back();
    found.problem = p;
    for (const Trial& trial : own) {
      found.rollouts.push_back({trial.id, record.update, RolloutStatus::kOk, {}, {}});
    }
    for (std::uint32_t round = 0; round < settings_.repeats; ++round) {
      watchdog.alive("runs of incumbent of problem", p);
      found.incumbent_seconds.push_back(run_incumbent(p, record));
      for (std::size_t i = 0; i < own.size(); ++i) {
        // Forth and back: whatever rises or falls with time does so for all alike.
        const std::size_t at = round % 2 == 0 ? i : own.size() - 1 - i;
        report.stop_signal = raised(stop);
        if (report.stop_signal != 0) {
          return report;
        }
        if (found.rollouts[at].status == RolloutStatus::kOk) {
          watchdog.alive("runs of rollout", own[at].id);
          run_trial(own[at], median_of(found.incumbent_seconds), found.rollouts[at]);
        }
      }
    }
    confirm(own, record, stop, watchdog, found);
  }
  report.stop_signal = raised(stop);
  return report;
}

}  // namespace berth::launcher
