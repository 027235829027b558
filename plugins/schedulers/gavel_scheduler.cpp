// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "gavel_scheduler.hpp"

#include <algorithm>
#include <cstdio>

namespace berth::schedulers {

GavelOptions GavelOptions::gavel() {
  GavelOptions options;
  options.reset_interval_seconds = 1920.0;
  options.reset_when_drained = true;
  options.initial_job_time_share = 0.5;
  options.worker_time_per_gpu = false;
  options.hold_without_allocation = true;
  return options;
}

GavelScheduler::GavelScheduler(std::unique_ptr<GavelPolicy> policy,
                               const GavelOptions& options,
                               std::uint32_t seed)
    : policy_(std::move(policy)), options_(options), type_stream_(seed + 5) {}

void GavelScheduler::account_last_round(const RoundContext& context) {
  const std::size_t types = context.cluster.num_types();
  worker_time_.resize(types, 0.0);
  const bool drained = context.pending_arrivals + context.arrived.size() == 0;
  if (options_.reset_when_drained && drained && context.last_round.empty()) {
    last_reset_ = 0.0;
  }
  for (const JobOutcome& outcome : context.last_round) {
    stale_ = stale_ || outcome.failed || outcome.finished;
    if (!outcome.failed) {
      const std::size_t type = index(outcome.type);
      Account& job = account(outcome.job);
      job.job_time[type] += outcome.executed_seconds;
      worker_time_[type] += options_.worker_time_per_gpu
                                ? outcome.executed_seconds * static_cast<double>(job.gang)
                                : outcome.executed_seconds;
    }
  }
  const double credit = options_.initial_job_time_share * context.round_seconds;
  for (const JobState& state : context.jobs) {
    if (accounts_.size() <= index(state.id)) {
      accounts_.resize(index(state.id) + 1);
    }
    Account& job = account(state.id);
    if (!job.known) {
      job.known = true;
      job.gang = state.spec->gang;
      job.job_time.assign(types, credit);
      job.deficit.assign(types, 0.0);
      job.share.assign(types, 0.0);
      job.priority.assign(types, 0.0);
      stale_ = true;
    }
  }
}

void GavelScheduler::solve_if_due(const RoundContext& context) {
  const double since = context.now_seconds - last_reset_;
  if (!stale_ || (since < options_.reset_interval_seconds && last_reset_ != 0.0)) {
    return;
  }
  const std::size_t types = context.cluster.num_types();
  const double credit = options_.initial_job_time_share * context.round_seconds;
  for (std::size_t t = 0; t < types; ++t) {
    worker_time_[t] = 0.0;
    for (const JobState& state : context.jobs) {
      Account& job = account(state.id);
      const double share = job.has_share ? job.share[t] : 0.0;
      job.deficit[t] += share * since - (job.job_time[t] - credit);
      job.job_time[t] = credit;
      worker_time_[t] += credit;
    }
  }
  last_reset_ = context.now_seconds;
  stale_ = false;
  const Allocation allocation = policy_->solve(context);
  for (std::size_t row = 0; row < context.jobs.size(); ++row) {
    Account& job = account(context.jobs[row].id);
    job.has_share = true;
    for (std::size_t t = 0; t < types; ++t) {
      job.share[t] = allocation.at(row, t);
    }
  }
}

void GavelScheduler::set_priorities(const RoundContext& context) {
  for (const JobState& state : context.jobs) {
    Account& job = account(state.id);
    job.chosen = false;
    for (std::size_t t = 0; t < worker_time_.size(); ++t) {
      job.priority[t] = 0.0;
      if (!job.has_share || job.share[t] == 0.0 || state.spec->rates[t] == 0.0) {
        continue;
      }
      const double received = worker_time_[t] == 0.0 ? 0.0 : job.job_time[t] / worker_time_[t];
      job.priority[t] = received == 0.0 ? 1e9 * job.share[t] : job.share[t] / received;
    }
  }
}

std::vector<PureGang> GavelScheduler::choose(const RoundContext& context) {
  const std::size_t types = context.cluster.num_types();
  std::vector<std::size_t> order(types);
  for (std::size_t t = 0; t < types; ++t) {
    order[t] = t;
  }
  if (options_.shuffle_types) {
    type_stream_.shuffle(std::span(order));
  }
  std::vector<std::size_t> rows(context.jobs.size());
  std::vector<PureGang> choices;
  for (const std::size_t t : order) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row] = row;
    }
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      const Account& x = account(context.jobs[a].id);
      const Account& y = account(context.jobs[b].id);
      if (x.priority[t] != y.priority[t]) {
        return x.priority[t] > y.priority[t];
      }
      return x.deficit[t] != y.deficit[t] ? x.deficit[t] > y.deficit[t] : x.share[t] > y.share[t];
    });
    std::uint32_t left = context.cluster.capacity(to_id<GpuTypeId>(t));
    for (const std::size_t row : rows) {
      const JobState& state = context.jobs[row];
      Account& job = account(state.id);
      const bool may_run =
          job.priority[t] > 0.0 || (options_.work_conserving && !policy_->skips_zero_priority());
      if (!job.chosen && may_run && state.spec->rates[t] > 0.0 && state.spec->gang <= left) {
        job.chosen = true;
        left -= state.spec->gang;
        choices.push_back({row, t});
      }
    }
  }
  return choices;
}

RoundSchedule GavelScheduler::schedule(const RoundContext& context) {
  account_last_round(context);
  solve_if_due(context);
  set_priorities(context);
  RoundSchedule schedule = place_pure_gangs(
      context,
      choose(context),
      options_.sticky_previous_round_only ? Stickiness::kPreviousRound : Stickiness::kEver);
  for (Assignment& assignment : schedule.assignments) {
    assignment.runs = account(assignment.job).has_share || !options_.hold_without_allocation;
  }
  return schedule;
}

std::optional<double> GavelScheduler::lower_bound_seconds(const Cluster& cluster,
                                                          std::span<const JobSpec> jobs,
                                                          const GangModel& gangs) const {
  return policy_->duration_bound(cluster, jobs, gangs);
}

std::string GavelScheduler::explain(JobId id) const {
  if (index(id) >= accounts_.size() || !accounts_[index(id)].known) {
    return "not admitted yet";
  }
  const Account& job = accounts_[index(id)];
  std::string text =
      job.chosen ? "chosen" : "not chosen: others have a higher share still to receive";
  if (!job.has_share) {
    text += "; the shares were last computed before it arrived";
  }
  for (std::size_t t = 0; t < job.share.size(); ++t) {
    char part[96];
    std::snprintf(part,
                  sizeof part,
                  "; type %zu: share %.4f, priority %.4g",
                  t,
                  job.share[t],
                  job.priority[t]);
    text += part;
  }
  return text;
}

}  // namespace berth::schedulers
