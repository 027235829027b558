// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/lower_bound.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "berth/graph_levels.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

/// Work that only one device can do, the largest over devices.
double bound_work(std::span<const double> least, const CostTable& costs) {
  std::vector<double> bound(costs.num_devices, 0.0);
  for (std::size_t op = 0; op < least.size(); ++op) {
    std::size_t runners = 0;
    std::size_t only = 0;
    for (std::size_t d = 0; d < costs.num_devices && runners < 2; ++d) {
      if (costs.can_run(to_id<OpId>(op), to_id<DeviceId>(d))) {
        ++runners;
        only = d;
      }
    }
    if (runners == 1) {
      bound[only] += least[op];
    }
  }
  return *std::max_element(bound.begin(), bound.end());
}

}  // namespace

double makespan_lower_bound(const Graph& graph,
                            const CostTable& costs,
                            const ExecutionOptions& execution) {
  if (graph.num_ops() == 0) {
    return 0.0;
  }
  const std::vector<double> least = costs.least_compute(graph.num_ops());
  const std::vector<double> levels = bottom_levels(graph, least, {});
  const double path = *std::max_element(levels.begin(), levels.end());
  double total = 0.0;
  for (const double time : least) {
    total += time;
  }
  const auto streams = static_cast<double>(execution.streams);
  const double load = total / (static_cast<double>(costs.num_devices) * streams);
  return std::max({path, load, bound_work(least, costs) / streams});
}

}  // namespace abi_v1
}  // namespace berth
