// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "job_views.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace berth::hadar {
namespace {

constexpr int kPriceSteps = 60;
constexpr double kLatenessPower = 4.0;

double isolated_rate(const RoundContext& context, const JobView& job) {
  const double present = static_cast<double>(context.jobs.size());
  double shares = 0.0;
  double rate = 0.0;
  for (std::size_t t = 0; t < job.rates.size(); ++t) {
    const double share =
        context.cluster.capacity(to_id<GpuTypeId>(t)) / present / job.state->spec->gang;
    shares += share;
    rate += share * job.rates[t];
  }
  return rate / std::max(1.0, shares);
}

// Accelerator-seconds times price that a job still needs on a type.
double expense(const JobView& job, std::span<const double> prices, std::size_t type) {
  return job.rates[type] > 0.0
             ? prices[type] * job.state->spec->gang * job.state->remaining_steps / job.rates[type]
             : std::numeric_limits<double>::infinity();
}

std::size_t cheapest(const JobView& job, std::span<const double> prices) {
  std::size_t best = 0;
  for (std::size_t t = 1; t < prices.size(); ++t) {
    best = expense(job, prices, t) < expense(job, prices, best) ? t : best;
  }
  return best;
}

// About the least time in which all jobs can end: the fullest type when each job takes the type
// that is cheapest for it, and no job faster than alone on its best type.
double least_duration(const Cluster& cluster,
                      std::span<const JobView> jobs,
                      std::span<const double> prices) {
  std::vector<double> load(prices.size(), 0.0);
  double longest = 0.0;
  for (const JobView& job : jobs) {
    const std::size_t t = cheapest(job, prices);
    load[t] += job.state->spec->gang * job.state->remaining_steps / job.rates[t] /
               cluster.capacity(to_id<GpuTypeId>(t));
    longest = std::max(longest, job.state->remaining_steps / job.best_rate);
  }
  return std::max(longest, *std::max_element(load.begin(), load.end()));
}

// A type on which a job would end too late does not suit it, however cheap it is (the filter of
// Lenstra, Shmoys and Tardos, 1990, softened: better there than nowhere).
double lateness(const JobView& job, std::size_t type, double deadline) {
  const double late = job.state->remaining_steps / job.rates[type] / deadline;
  return job.rates[type] > 0.0 && late > 1.0 ? std::pow(late, kLatenessPower) : 1.0;
}

}  // namespace

std::vector<double> balancing_prices(const Cluster& cluster, std::span<const JobView> jobs) {
  const std::size_t types = cluster.num_types();
  std::vector<double> prices(types, 1.0 / static_cast<double>(types));
  std::vector<double> mean(types, 0.0);
  std::vector<double> load(types);
  for (int step = 1; step <= kPriceSteps; ++step) {
    std::fill(load.begin(), load.end(), 0.0);
    for (const JobView& job : jobs) {
      const std::size_t t = cheapest(job, prices);
      load[t] += job.state->spec->gang * job.state->remaining_steps / job.rates[t];
    }
    double highest = 0.0;
    for (std::size_t t = 0; t < types; ++t) {
      load[t] /= cluster.capacity(to_id<GpuTypeId>(t));
      highest = std::max(highest, load[t]);
    }
    double sum = 0.0;
    for (std::size_t t = 0; t < types; ++t) {
      prices[t] *= std::exp((load[t] / std::max(highest, 1e-300) - 1.0) / std::sqrt(step));
      sum += prices[t];
    }
    for (std::size_t t = 0; t < types; ++t) {
      prices[t] /= sum;
      mean[t] += step > kPriceSteps / 2 ? prices[t] / (kPriceSteps - kPriceSteps / 2) : 0.0;
    }
  }
  return mean;
}

std::vector<JobView> view_jobs(const RoundContext& context, UtilityKind kind) {
  std::vector<JobView> views(context.jobs.size());
  for (std::size_t row = 0; row < views.size(); ++row) {
    JobView& job = views[row];
    job.state = &context.jobs[row];
    const JobSpec& spec = *job.state->spec;
    for (std::size_t t = 0; t < context.cluster.num_types(); ++t) {
      const auto type = to_id<GpuTypeId>(t);
      const bool splits =
          context.gangs.measured_spread && spec.gang > context.cluster.largest_pool(type);
      const bool fits = context.cluster.capacity(type) >= spec.gang;
      job.rates.push_back(!fits ? 0.0 : splits ? spec.spread_rates[t] : spec.rates[t]);
      job.best_rate = std::max(job.best_rate, job.rates[t]);
    }
    job.fastest_seconds = spec.total_steps / job.best_rate;
    if (kind == UtilityKind::kFtf) {
      job.isolated_seconds = spec.total_steps / isolated_rate(context, job);
    }
  }
  if (kind == UtilityKind::kMakespan) {
    const std::vector<double> prices = balancing_prices(context.cluster, views);
    const double deadline = least_duration(context.cluster, views, prices);
    std::vector<double> expenses(prices.size());
    for (JobView& job : views) {
      for (std::size_t t = 0; t < prices.size(); ++t) {
        expenses[t] = expense(job, prices, t) * lateness(job, t, deadline);
      }
      const auto best = static_cast<std::size_t>(
          std::min_element(expenses.begin(), expenses.end()) - expenses.begin());
      job.urgency = job.state->remaining_steps / job.rates[best];
      for (std::size_t t = 0; t < prices.size(); ++t) {
        job.suits.push_back(expenses[best] / expenses[t]);
      }
    }
  }
  return views;
}

}  // namespace berth::hadar
