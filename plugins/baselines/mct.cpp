// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "mct.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "constructive.hpp"
#include "infinity.hpp"

namespace berth::baselines {
namespace {

/// When the inputs of `op` can first be on a device that can run it. +infinity: on none.
double least_ready_time(const PlacementProblem& problem, const PartialSchedule& schedule, OpId op) {
  double least = kInfinity;
  for (std::size_t d = 0; d < problem.costs.num_devices; ++d) {
    const auto device = to_id<DeviceId>(d);
    if (problem.costs.can_run(op, device)) {
      least = std::min(least, schedule.ready_time(op, device));
    }
  }
  return least;
}

}  // namespace

PartialSchedule mct_schedule(const PlacementProblem& problem) {
  const Graph& graph = problem.graph;
  const std::size_t devices = problem.costs.num_devices;
  PartialSchedule schedule(problem);
  using Arrival = std::pair<double, OpId>;  // what is ready first on top, by id where times tie
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> ready;
  std::vector<std::size_t> missing(graph.num_ops());
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    missing[v] = graph.predecessors(to_id<OpId>(v)).size();
    if (missing[v] == 0) {
      ready.emplace(0.0, to_id<OpId>(v));
    }
  }
  std::vector<double> free_at(devices, 0.0);
  while (!ready.empty()) {
    const OpId op = ready.top().second;
    ready.pop();
    std::tuple<double, double, DeviceId> best{kInfinity, 0.0, DeviceId{}};
    for (std::size_t d = 0; d < devices; ++d) {
      const auto device = to_id<DeviceId>(d);
      if (schedule.fits(op, device)) {
        const double start = std::max(free_at[d], schedule.ready_time(op, device));
        best = std::min(best, {start + schedule.compute(op, device), free_at[d], device});
      }
    }
    const auto [finish, free, device] = best;
    if (finish == kInfinity) {
      refuse_full("mct", graph, op);
    }
    schedule.assign(op, device, std::max(free, schedule.ready_time(op, device)));
    free_at[index(device)] = finish;
    for (const OpId next : graph.successors(op)) {
      if (--missing[index(next)] == 0) {
        ready.emplace(least_ready_time(problem, schedule, next), next);
      }
    }
  }
  return schedule;
}

std::unique_ptr<PlacementPolicy> make_mct(const HostServices& /*host*/) {
  return std::make_unique<ConstructivePolicy<mct_schedule>>();
}

}  // namespace berth::baselines
