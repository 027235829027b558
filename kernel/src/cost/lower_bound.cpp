// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/lower_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "berth/graph_levels.hpp"

#include "heads_and_tails.hpp"
#include "jackson_schedule.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

using internal::HeadsAndTails;
using internal::HeadTailJob;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_whole(double value) {
  return value == std::floor(value) || value == kInfinity;
}

/// Every time that a schedule can contain is a whole number of units.
bool times_are_whole(const Graph& graph, const CostTable& costs) {
  const auto whole = [](const auto& values) {
    return std::all_of(values.begin(), values.end(), is_whole);
  };
  return whole(costs.class_compute) && whole(costs.latency) && whole(costs.inverse_speed) &&
         whole(graph.edge_size());
}

/// The only device that can run `op`, or num_devices.
std::size_t only_device(const CostTable& costs, std::size_t op) {
  std::size_t only = costs.num_devices;
  for (std::size_t d = 0; d < costs.num_devices; ++d) {
    if (costs.can_run(to_id<OpId>(op), to_id<DeviceId>(d))) {
      if (only < costs.num_devices) {
        return costs.num_devices;
      }
      only = d;
    }
  }
  return only;
}

/// The largest bound of a resource: all devices together for all ops, and each device for the ops
/// that only it can run.
double resource_bound(const CostTable& costs,
                      const std::vector<double>& least,
                      const HeadsAndTails& around,
                      double streams) {
  std::vector<HeadTailJob> all;
  std::vector<std::vector<HeadTailJob>> bound_to(costs.num_devices);
  all.reserve(least.size());
  for (std::size_t v = 0; v < least.size(); ++v) {
    const HeadTailJob job{around.head[v], least[v], around.tail[v]};
    all.push_back(job);
    const std::size_t device = only_device(costs, v);
    if (device < costs.num_devices) {
      bound_to[device].push_back(job);
    }
  }
  double bound = jackson_bound(std::move(all), static_cast<double>(costs.num_devices) * streams);
  for (std::vector<HeadTailJob>& jobs : bound_to) {
    bound = std::max(bound, jackson_bound(std::move(jobs), streams));
  }
  return bound;
}

}  // namespace

double makespan_lower_bound(const Graph& graph,
                            const CostTable& costs,
                            const ExecutionOptions& execution) {
  const std::size_t ops = graph.num_ops();
  if (ops == 0) {
    return 0.0;
  }
  const auto streams = static_cast<double>(execution.streams);
  const std::vector<double> least = costs.least_compute(ops);
  // Shared bandwidth makes fractions of whole sizes; every other model only adds.
  const bool whole = execution.model != ExecutionModel::kFair && times_are_whole(graph, costs);
  const HeadsAndTails around = internal::heads_and_tails(graph, costs, least, streams, whole);
  double bound = std::max(around.all, resource_bound(costs, least, around, streams));
  for (std::size_t v = 0; v < ops; ++v) {
    bound = std::max(bound, around.head[v] + least[v] + around.tail[v]);
  }
  if (whole) {
    return std::ceil(bound);
  }
  // Sums in another order than the simulator's differ by rounding; the plain path adds in its
  // order, so it never exceeds it.
  const double rounding =
      std::numeric_limits<double>::epsilon() * (2.0 * static_cast<double>(ops) + 64.0);
  double path = 0.0;
  const std::vector<double> starts = top_levels(graph, least, {});
  for (std::size_t v = 0; v < ops; ++v) {
    path = std::max(path, starts[v] + least[v]);
  }
  return std::max(path, bound * (1.0 - rounding));
}

}  // namespace abi_v1
}  // namespace berth
