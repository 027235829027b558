// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "gavel_queue_policies.hpp"

#include <algorithm>

namespace berth::schedulers {

std::vector<std::size_t> types_by_name(const Cluster& cluster) {
  std::vector<std::size_t> order(cluster.num_types());
  for (std::size_t t = 0; t < order.size(); ++t) {
    order[t] = t;
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cluster.type_names()[a] < cluster.type_names()[b];
  });
  return order;
}

// The order of operations is Gavel's, to the last bit: cap / jobs, / gang, / max(1, sum by name).
void isolated_row(const Cluster& cluster,
                  std::size_t jobs,
                  std::uint32_t gang,
                  std::span<double> row) {
  double sum = 0.0;
  for (const std::size_t t : types_by_name(cluster)) {
    row[t] = cluster.capacity(to_id<GpuTypeId>(t)) / static_cast<double>(jobs) / gang;
    sum += row[t];
  }
  const double divisor = std::max(1.0, sum);
  for (double& share : row) {
    share /= divisor;
  }
}

Allocation IsolatedPolicy::solve(const RoundContext& context) {
  const std::size_t types = context.cluster.num_types();
  Allocation allocation(context.jobs.size(), types);
  for (std::size_t row = 0; row < context.jobs.size(); ++row) {
    isolated_row(context.cluster,
                 context.jobs.size(),
                 context.jobs[row].spec->gang,
                 std::span(allocation.share).subspan(row * types, types));
  }
  return allocation;
}

Allocation FastestFifoPolicy::solve(const RoundContext& context) {
  const std::vector<std::size_t> order = types_by_name(context.cluster);
  std::vector<std::uint32_t> free;
  for (std::size_t t = 0; t < order.size(); ++t) {
    free.push_back(context.cluster.capacity(to_id<GpuTypeId>(t)));
  }
  Allocation allocation(context.jobs.size(), order.size());
  for (std::size_t row = 0; row < context.jobs.size(); ++row) {
    const JobSpec& job = *context.jobs[row].spec;
    std::size_t best = order.size();
    for (const std::size_t t : order) {
      if (free[t] >= job.gang && (best == order.size() || job.rates[t] > job.rates[best])) {
        best = t;
      }
    }
    if (best == order.size()) {
      break;
    }
    free[best] -= job.gang;
    allocation.at(row, best) = 1.0;
  }
  return allocation;
}

void RandomTypeFifoPolicy::fill_from_queue(const RoundContext& context,
                                           std::vector<const JobState*> queue,
                                           std::vector<std::int64_t>& free) {
  std::vector<std::size_t> open;
  for (const std::size_t t : types_by_name(context.cluster)) {
    if (free[t] > 0) {
      open.push_back(t);
    }
  }
  for (const JobState* job : queue) {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (free[open[i]] >= job->spec->gang) {
        candidates.push_back(i);
      }
    }
    if (candidates.empty()) {
      return;
    }
    const std::size_t drawn = stream_.below(static_cast<std::uint32_t>(candidates.size()));
    const std::size_t type = repaired_ ? open[candidates[drawn]] : open.back();
    if (!(job->spec->rates[type] > 0.0)) {
      continue;
    }
    type_of_[job->id] = type;
    free[type] -= job->spec->gang;
    if (free[type] == 0) {
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(candidates[drawn]));
    }
  }
}

Allocation RandomTypeFifoPolicy::solve(const RoundContext& context) {
  const std::size_t types = context.cluster.num_types();
  std::vector<const JobState*> queue;
  std::map<JobId, const JobState*> active;
  for (const JobState& job : context.jobs) {
    active.emplace(job.id, &job);
    if (type_of_.count(job.id) == 0) {
      queue.push_back(&job);
    }
  }
  std::vector<std::int64_t> free;
  for (std::size_t t = 0; t < types; ++t) {
    free.push_back(context.cluster.capacity(to_id<GpuTypeId>(t)));
  }
  const std::map<JobId, std::size_t> mapped = type_of_;
  for (const auto& [id, type] : mapped) {
    const auto found = active.find(id);
    if (found != active.end()) {
      free[type] -= found->second->spec->gang;
      continue;
    }
    type_of_.erase(id);
    if (!queue.empty() && queue.front()->spec->gang <= free[type] &&
        queue.front()->spec->rates[type] > 0.0) {
      free[type] -= queue.front()->spec->gang;
      type_of_[queue.front()->id] = type;
      queue.erase(queue.begin());
    }
  }
  fill_from_queue(context, std::move(queue), free);
  Allocation allocation(context.jobs.size(), types);
  for (std::size_t row = 0; row < context.jobs.size(); ++row) {
    const auto found = type_of_.find(context.jobs[row].id);
    if (found != type_of_.end()) {
      allocation.at(row, found->second) = 1.0;
    }
  }
  return allocation;
}

}  // namespace berth::schedulers
