// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "sia_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "berth/gpu_ledger.hpp"

#include "linear_program.hpp"

namespace berth::schedulers {
namespace {

constexpr double kMostCost = 3000.0;

/// The type a job ran on in the round before, or as many as there are types.
std::size_t present_type(const RoundContext& context, const JobState& job) {
  return job.ran_last_round ? index(context.cluster.type_of(job.gpus.front()))
                            : context.cluster.num_types();
}

/// The rate a job would have on a type, 0 where its gang does not fit.
double rate_on(const RoundContext& context, const JobSpec& job, std::size_t type) {
  const auto id = to_id<GpuTypeId>(type);
  if (context.cluster.capacity(id) < job.gang) {
    return 0.0;
  }
  const bool splits = context.gangs.measured_spread && job.gang > context.cluster.largest_pool(id);
  return splits ? job.spread_rates[type] : job.rates[type];
}

/// A gang that a machine could hold, over several.
bool is_scattered(const RoundContext& context, const Assignment& assignment, std::size_t type) {
  return assignment.gpus.size() <= context.cluster.largest_pool(to_id<GpuTypeId>(type)) &&
         !on_one_machine(context.cluster, assignment.gpus);
}

}  // namespace

double SiaScheduler::cost(const RoundContext& context,
                          const JobState& job,
                          std::size_t type,
                          bool stays) const {
  double slowest = 0.0;
  for (std::size_t t = 0; t < context.cluster.num_types(); ++t) {
    const double rate = rate_on(context, *job.spec, t);
    slowest = rate > 0.0 && (slowest == 0.0 || rate < slowest) ? rate : slowest;
  }
  double goodput = job.spec->gang * rate_on(context, *job.spec, type) / slowest;
  const double restart = context.gangs.restart_seconds;
  const double age = context.now_seconds - job.spec->arrival_seconds;
  if (!stays && age >= restart && age > 0.0) {
    goodput *= std::max(0.0, age - job.restarts * restart) / (age + restart);
  }
  const double cost = std::round(100.0 * std::pow(goodput, options_.power)) / 100.0;
  return std::min(kMostCost, cost);  // infinite where r is 0
}

std::vector<SiaScheduler::Entry> SiaScheduler::entries(const RoundContext& context) const {
  std::vector<Entry> all;
  for (std::size_t row = 0; row < context.jobs.size(); ++row) {
    const JobState& job = context.jobs[row];
    const std::size_t present = present_type(context, job);
    for (std::size_t t = 0; t < context.cluster.num_types(); ++t) {
      if (rate_on(context, *job.spec, t) > 0.0) {
        const Entry entry{row, t, cost(context, job, t, t == present)};
        if (entry.cost < options_.waiting_penalty) {
          all.push_back(entry);  // any other is never better than to wait
        }
      }
    }
  }
  return all;
}

std::vector<PureGang> SiaScheduler::choose(const RoundContext& context,
                                           const std::vector<Entry>& entries) const {
  if (entries.empty()) {
    return {};
  }
  const std::size_t types = context.cluster.num_types();
  LinearProgram program;
  std::vector<int> capacity;
  for (std::size_t t = 0; t < types; ++t) {
    capacity.push_back(program.add_row_at_most(context.cluster.capacity(to_id<GpuTypeId>(t))));
  }
  // Greedily by what an accelerator gains, present types first: the search starts from there.
  std::vector<std::size_t> order(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    order[i] = i;
  }
  const auto gang = [&](std::size_t i) { return context.jobs[entries[i].row].spec->gang; };
  const auto gain = [&](std::size_t i) {
    return (options_.waiting_penalty - entries[i].cost) / gang(i);
  };
  std::stable_sort(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return gain(a) > gain(b); });
  std::vector<double> start(entries.size(), 0.0);
  std::vector<std::uint8_t> placed(context.jobs.size(), 0);
  std::vector<std::uint32_t> left;
  for (std::size_t t = 0; t < types; ++t) {
    left.push_back(context.cluster.capacity(to_id<GpuTypeId>(t)));
  }
  for (const std::size_t i : order) {
    if (placed[entries[i].row] == 0 && left[entries[i].type] >= gang(i)) {
      placed[entries[i].row] = 1;
      left[entries[i].type] -= gang(i);
      start[i] = 1.0;
    }
  }
  int one_type = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i == 0 || entries[i].row != entries[i - 1].row) {
      one_type = program.add_row_at_most(1.0);
    }
    const int variable = program.add_binary(options_.waiting_penalty - entries[i].cost);
    program.set(one_type, variable, 1.0);
    program.set(capacity[entries[i].type], variable, gang(i));
  }
  const std::vector<double> answer =
      program.solve_binaries(std::move(start), options_.gap, options_.most_nodes);
  std::vector<PureGang> gangs;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (answer[i] > 0.5) {
      gangs.push_back({entries[i].row, entries[i].type});
    }
  }
  return gangs;
}

RoundSchedule SiaScheduler::schedule(const RoundContext& context) {
  std::vector<JobId> seen;
  for (const JobState& job : context.jobs) {
    seen.push_back(job.id);
  }
  std::vector<Entry> now = entries(context);
  if (seen != seen_ || now != entries_) {
    gangs_ = choose(context, now);
    seen_ = std::move(seen);
    entries_ = std::move(now);
  }
  RoundSchedule schedule = place_pure_gangs(context, gangs_, Stickiness::kPreviousRound);
  std::vector<std::size_t> unplaced(context.cluster.num_types(), 0);
  for (const PureGang& gang : gangs_) {
    ++unplaced[gang.type];
  }
  std::vector<std::uint8_t> anew(context.cluster.num_types(), 0);
  for (const Assignment& assignment : schedule.assignments) {
    const std::size_t type = index(context.cluster.type_of(assignment.gpus.front()));
    --unplaced[type];
    anew[type] = anew[type] != 0 || is_scattered(context, assignment, type) ? 1 : 0;
  }
  for (std::size_t t = 0; t < anew.size(); ++t) {
    anew[t] = anew[t] != 0 || unplaced[t] > 0 ? 1 : 0;
  }
  if (std::count(anew.begin(), anew.end(), 1) == 0) {
    return schedule;
  }
  RoundSchedule mended;
  std::vector<PureGang> scattered;
  for (const PureGang& gang : gangs_) {
    if (anew[gang.type] != 0) {
      scattered.push_back(gang);
    }
  }
  for (Assignment& assignment : schedule.assignments) {
    if (anew[index(context.cluster.type_of(assignment.gpus.front()))] == 0) {
      mended.assignments.push_back(std::move(assignment));
    }
  }
  for (Assignment& assignment :
       place_pure_gangs(context, std::move(scattered), Stickiness::kNever).assignments) {
    mended.assignments.push_back(std::move(assignment));
  }
  return mended;
}

std::string SiaScheduler::explain(JobId job) const {
  const auto at = std::find(seen_.begin(), seen_.end(), job);
  if (at == seen_.end()) {
    return "not an active job of the last round";
  }
  const auto row = static_cast<std::size_t>(at - seen_.begin());
  const bool runs = std::any_of(
      gangs_.begin(), gangs_.end(), [row](const PureGang& gang) { return gang.row == row; });
  char text[64];
  std::snprintf(text, sizeof text, "; waiting costs %.2f", options_.waiting_penalty);
  std::string reason = (runs ? "chosen" : "not chosen") + std::string(text);
  for (const Entry& entry : entries_) {
    if (entry.row == row) {
      std::snprintf(text, sizeof text, ", type %zu costs %.2f", entry.type, entry.cost);
      reason += text;
    }
  }
  return reason;
}

}  // namespace berth::schedulers
