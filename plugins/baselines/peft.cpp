// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "peft.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

#include "constructive.hpp"
#include "infinity.hpp"
#include "ranks.hpp"

namespace berth::baselines {
namespace {

/// Mean of the optimistic costs over the devices that can run the op; PEFT eq. (4).
std::vector<double> optimistic_ranks(const PlacementProblem& problem,
                                     const std::vector<double>& table) {
  const std::size_t devices = problem.costs.num_devices;
  std::vector<double> rank(problem.graph.num_ops(), 0.0);
  for (std::size_t v = 0; v < rank.size(); ++v) {
    double runners = 0.0;
    for (std::size_t d = 0; d < devices; ++d) {
      if (problem.costs.can_run(to_id<OpId>(v), to_id<DeviceId>(d))) {
        rank[v] += table[v * devices + d];
        ++runners;
      }
    }
    rank[v] /= runners;
  }
  return rank;
}

void place_op(PartialSchedule& schedule,
              const PlacementProblem& problem,
              const std::vector<double>& table,
              OpId op) {
  const std::size_t devices = problem.costs.num_devices;
  double least = kInfinity;
  double best_start = 0.0;
  DeviceId best{};
  for (std::size_t d = 0; d < devices; ++d) {
    const auto device = to_id<DeviceId>(d);
    if (!schedule.fits(op, device)) {
      continue;
    }
    const double start = schedule.earliest_start(op, device, Gaps::kInsert);
    const double cost = start + schedule.compute(op, device) + table[index(op) * devices + d];
    if (cost < least) {
      least = cost;
      best_start = start;
      best = device;
    }
  }
  if (least == kInfinity) {
    refuse_full("peft", problem.graph, op);
  }
  schedule.assign(op, best, best_start);
}

}  // namespace

PartialSchedule peft_schedule(const PlacementProblem& problem) {
  const Graph& graph = problem.graph;
  const std::vector<double> table = optimistic_costs(problem);
  const std::vector<double> rank = optimistic_ranks(problem, table);
  const std::vector<std::uint32_t> position = topological_position(graph);
  const auto later = [&](OpId a, OpId b) {
    return std::tuple(-rank[index(a)], position[index(a)]) >
           std::tuple(-rank[index(b)], position[index(b)]);
  };
  std::priority_queue<OpId, std::vector<OpId>, decltype(later)> ready(later);
  std::vector<std::size_t> missing(graph.num_ops());
  for (std::size_t v = 0; v < missing.size(); ++v) {
    missing[v] = graph.predecessors(to_id<OpId>(v)).size();
    if (missing[v] == 0) {
      ready.push(to_id<OpId>(v));
    }
  }
  PartialSchedule schedule(problem);
  while (!ready.empty()) {
    const OpId op = ready.top();
    ready.pop();
    place_op(schedule, problem, table, op);
    for (const OpId next : graph.successors(op)) {
      if (--missing[index(next)] == 0) {
        ready.push(next);
      }
    }
  }
  return schedule;
}

std::unique_ptr<PlacementPolicy> make_peft(const HostServices& /*host*/) {
  return std::make_unique<ConstructivePolicy<peft_schedule>>();
}

}  // namespace berth::baselines
