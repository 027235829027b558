// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "gavel_lp_policies.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "berth/error.hpp"

namespace berth::schedulers {
namespace {

constexpr double kPrecision = 1e-9;
constexpr int kMostSteps = 40;

std::vector<double> seen_rates(const JobSpec& job, Awareness awareness) {
  if (awareness == Awareness::kTypes) {
    return job.rates;
  }
  double sum = 0.0;
  double usable = 0.0;
  for (const double rate : job.rates) {
    sum += rate;
    usable += rate > 0.0 ? 1.0 : 0.0;
  }
  std::vector<double> rates = job.rates;
  for (double& rate : rates) {
    rate = rate > 0.0 ? sum / usable : 0.0;
  }
  return rates;
}

std::vector<ShareRow> rows_of(const RoundContext& context, Awareness awareness) {
  std::vector<ShareRow> rows;
  for (const JobState& job : context.jobs) {
    rows.push_back(
        {seen_rates(*job.spec, awareness), static_cast<double>(job.spec->gang), 1.0, 1.0});
  }
  return rows;
}

double throughput(std::span<const double> rates, std::span<const double> shares) {
  return std::inner_product(rates.begin(), rates.end(), shares.begin(), 0.0);
}

template <class Shares>
Allocation read_shares(const RoundContext& context, const Shares& shares) {
  Allocation allocation(context.jobs.size(), context.cluster.num_types());
  for (std::size_t row = 0; row < context.jobs.size(); ++row) {
    for (std::size_t t = 0; t < context.cluster.num_types(); ++t) {
      // Rounding of the solver must not look like a share.
      const double value = shares(row, t);
      allocation.at(row, t) = value > 1e-9 ? std::min(1.0, value) : 0.0;
    }
  }
  return allocation;
}

}  // namespace

Allocation MaxMinFairnessPolicy::solve(const RoundContext& context) {
  if (context.jobs.empty()) {
    return {};
  }
  const std::size_t types = context.cluster.num_types();
  std::map<std::pair<std::vector<double>, std::pair<std::uint32_t, double>>, std::size_t> classes;
  std::vector<std::size_t> class_of;
  std::vector<ShareRow> rows;
  std::vector<double> demand;
  for (const JobState& job : context.jobs) {
    std::vector<double> rates = job.spec->rates;
    if (awareness_ == Awareness::kAgnostic) {
      for (double& rate : rates) {
        rate = rate > 0.0 ? 1.0 : 0.0;
      }
    }
    const auto [found, is_new] =
        classes.try_emplace({rates, {job.spec->gang, job.spec->weight}}, rows.size());
    class_of.push_back(found->second);
    if (!is_new) {
      rows[found->second].members += 1.0;
      continue;
    }
    double proportional = 0.0;
    for (std::size_t t = 0; t < types; ++t) {
      proportional += rates[t] * context.cluster.capacity(to_id<GpuTypeId>(t)) /
                      static_cast<double>(context.cluster.num_gpus());
    }
    demand.push_back(job.spec->weight * proportional / job.spec->gang);
    rows.push_back({std::move(rates), static_cast<double>(job.spec->gang), 1.0, 1.0});
  }
  BalancedShares shares(context.cluster, rows);
  objective_ = shares.solve(demand);
  return read_shares(
      context, [&](std::size_t row, std::size_t t) { return shares.share(class_of[row], t); });
}

Allocation MinTotalDurationPolicy::solve(const RoundContext& context) {
  if (context.jobs.empty()) {
    return {};
  }
  const std::vector<ShareRow> rows = rows_of(context, awareness_);
  std::vector<double> demand;
  for (const JobState& job : context.jobs) {
    demand.push_back(job.remaining_steps);
  }
  BalancedShares shares(context.cluster, rows);
  duration_ = 1.0 / shares.solve(demand);
  return read_shares(context, [&](std::size_t row, std::size_t t) { return shares.share(row, t); });
}

std::vector<double> FinishTimeFairnessPolicy::isolated_times(const RoundContext& context,
                                                             std::span<const ShareRow> rows) {
  std::vector<double> times;
  std::vector<double> shares(context.cluster.num_types());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const JobState& job = context.jobs[row];
    if (past_.size() <= index(job.id)) {
      past_.resize(index(job.id) + 1);
    }
    Past& past = past_[index(job.id)];
    if (past.steps_left >= 0.0) {
      past.isolated_seconds += (past.steps_left - job.remaining_steps) / past.isolated_rate;
    }
    isolated_row(context.cluster, context.jobs.size(), job.spec->gang, shares);
    past.isolated_rate = throughput(rows[row].rates, shares);
    past.steps_left = job.remaining_steps;
    times.push_back(past.isolated_seconds + job.remaining_steps / past.isolated_rate);
  }
  return times;
}

Allocation FinishTimeFairnessPolicy::solve(const RoundContext& context) {
  if (context.jobs.empty()) {
    return {};
  }
  const std::vector<ShareRow> rows = rows_of(context, awareness_);
  const std::vector<double> isolated = isolated_times(context, rows);
  BalancedShares shares(context.cluster, rows);
  std::vector<double> demand(rows.size());
  // rho must leave every job time to go: above the largest t_m / iso_m.
  double low = 0.0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    low = std::max(low,
                   (context.now_seconds - context.jobs[row].spec->arrival_seconds) / isolated[row]);
  }
  // z - 1 at rho: >= 0 where rho can be reached; z is 0 where a job would have
  // no time left.
  const auto slack = [&](double rho) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double age = context.now_seconds - context.jobs[row].spec->arrival_seconds;
      const double left = rho * isolated[row] - age;
      if (!(left > 0.0)) {
        return -1.0;
      }
      demand[row] = context.jobs[row].remaining_steps / left;
    }
    return shares.solve(demand) - 1.0;
  };
  double slack_low = -1.0;
  double high = std::max(1.0, 2.0 * low);
  double slack_high = slack(high);
  while (slack_high < 0.0) {
    low = high;
    slack_low = slack_high;
    high *= 2.0;
    slack_high = slack(high);
  }
  // z is nearly linear in rho, so false position (Illinois) needs a few
  // solutions only.
  for (int step = 0; step < kMostSteps && high - low > kPrecision * high; ++step) {
    const double middle = low + (high - low) * slack_low / (slack_low - slack_high);
    const double found = slack(middle);
    if (found >= -kPrecision) {
      high = middle;
      slack_high = std::max(0.0, found);
      slack_low *= 0.5;
      if (found <= kPrecision) {
        break;
      }
    } else {
      low = middle;
      slack_low = found;
      slack_high *= 0.5;
    }
  }
  (void)slack(high);  // leaves the shares of the answer in the program
  rho_ = high;
  return read_shares(context, [&](std::size_t row, std::size_t t) { return shares.share(row, t); });
}

Allocation MaxSumThroughputPolicy::solve(const RoundContext& context) {
  if (context.jobs.empty()) {
    return {};
  }
  const std::vector<ShareRow> rows = rows_of(context, Awareness::kTypes);
  ShareProgram shares(context.cluster, rows);
  // sum_m thr(m, X) - s >= 0 with s maximised.
  const int sum = shares.program().add_variable(1.0);
  const int row_of_sum = shares.program().add_row_at_least(0.0);
  shares.program().set(row_of_sum, sum, -1.0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    shares.add_throughput(row_of_sum, row, 1.0);
  }
  if (shares.program().solve() != SolveStatus::kOptimal) {
    throw SolverError("sum of throughputs: the linear program has no optimum");
  }
  objective_ = shares.program().objective();
  return read_shares(context,
                     [&](std::size_t row, std::size_t t) { return shares.share_value(row, t); });
}

double total_duration_bound(const Cluster& cluster,
                            std::span<const JobSpec> jobs,
                            const GangModel& gangs) {
  std::vector<ShareRow> rows;
  std::vector<double> demand;
  double first_arrival = std::numeric_limits<double>::infinity();
  for (const JobSpec& job : jobs) {
    first_arrival = std::min(first_arrival, job.arrival_seconds);
  }
  double alone = 0.0;
  for (const JobSpec& job : jobs) {
    ShareRow row{{}, static_cast<double>(job.gang), 1.0, 1.0};
    double best = 0.0;
    for (std::size_t t = 0; t < cluster.num_types(); ++t) {
      row.rates.push_back(best_rate(cluster, job, to_id<GpuTypeId>(t), gangs));
      best = std::max(best, row.rates.back());
    }
    alone = std::max(alone, job.arrival_seconds - first_arrival + job.total_steps / best);
    rows.push_back(std::move(row));
    demand.push_back(job.total_steps);
  }
  BalancedShares shares(cluster, rows);
  shares.start_near(demand);
  (void)shares.solve(demand);
  return std::max(alone, 1.0 / shares.dual_bound());
}

}  // namespace berth::schedulers
