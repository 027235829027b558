// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/cluster_job.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

std::string label(std::span<const JobSpec> jobs, std::size_t id) {
  return "job " + std::to_string(id) + " (" + jobs[id].name + ")";
}

void check_number(const std::string& place, const char* field, double value, bool zero_ok) {
  if (!std::isfinite(value) || value < 0.0 || (value == 0.0 && !zero_ok)) {
    throw InputError(place + ": " + field + " is " + std::to_string(value) +
                     "; expected a finite number " + (zero_ok ? ">= 0" : "> 0"));
  }
}

}  // namespace

void check_jobs(const Cluster& cluster, std::span<const JobSpec> jobs) {
  if (jobs.empty()) {
    throw InputError("trace: no jobs; expected at least one");
  }
  for (std::size_t id = 0; id < jobs.size(); ++id) {
    const JobSpec& job = jobs[id];
    const std::string place = label(jobs, id);
    check_number(place, "total_steps", job.total_steps, /*zero_ok=*/false);
    check_number(place, "arrival_seconds", job.arrival_seconds, /*zero_ok=*/true);
    check_number(place, "weight", job.weight, /*zero_ok=*/false);
    if (job.gang == 0 || job.gang > cluster.num_gpus()) {
      throw InputError(place + ": needs " + std::to_string(job.gang) +
                       " accelerators at once; the cluster has " +
                       std::to_string(cluster.num_gpus()));
    }
    if (job.rates.size() != cluster.num_types() || job.spread_rates.size() != cluster.num_types()) {
      throw InputError(place + ": has rates for " + std::to_string(job.rates.size()) +
                       " accelerator types; the cluster has " +
                       std::to_string(cluster.num_types()));
    }
    std::optional<GpuTypeId> largest;  // of the types that run the job
    for (std::size_t t = 0; t < job.rates.size(); ++t) {
      check_number(place, "rate", job.rates[t], /*zero_ok=*/true);
      check_number(place, "spread rate", job.spread_rates[t], /*zero_ok=*/true);
      const auto type = to_id<GpuTypeId>(t);
      if ((job.rates[t] > 0.0 || job.spread_rates[t] > 0.0) &&
          (!largest || cluster.capacity(type) > cluster.capacity(*largest))) {
        largest = type;
      }
    }
    if (!largest || cluster.capacity(*largest) < job.gang) {
      throw InputError(place + ": its gang of " + std::to_string(job.gang) +
                       " needs as many accelerators of one type with a throughput > 0 for it; " +
                       (largest ? "the largest such set is " +
                                      std::to_string(cluster.capacity(*largest)) + " of " +
                                      cluster.type_name(*largest)
                                : "there is no such type"));
    }
  }
}

double gang_rate(const JobSpec& job,
                 std::span<const std::uint32_t> counts,
                 bool one_machine,
                 const GangModel& model) {
  const std::vector<double>& rates =
      one_machine || !model.measured_spread ? job.rates : job.spread_rates;
  double slowest = std::numeric_limits<double>::infinity();
  double weighted = 0.0;
  std::size_t used = 0;
  std::size_t only = 0;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    if (counts[t] == 0) {
      continue;
    }
    ++used;
    only = t;
    slowest = std::min(slowest, rates[t]);
    weighted += counts[t] * rates[t];
  }
  if (used == 1) {
    return rates[only];  // exact: no detour over the weighted mean
  }
  if (used == 0 || model.mix == MixRule::kOff || !(slowest > 0.0)) {
    return 0.0;
  }
  return model.mix == MixRule::kMin ? slowest : weighted / job.gang;
}

double best_rate(const Cluster& cluster,
                 const JobSpec& job,
                 GpuTypeId type,
                 const GangModel& model) {
  const std::size_t t = index(type);
  if (!model.measured_spread) {
    return job.rates[t];
  }
  if (job.gang > cluster.largest_machine()) {
    return job.spread_rates[t];
  }
  return std::max(job.rates[t], job.gang > 1 ? job.spread_rates[t] : 0.0);
}

}  // namespace abi_v1
}  // namespace berth
