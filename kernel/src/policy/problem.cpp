// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "berth/error.hpp"
#include "berth/lower_bound.hpp"
#include "berth/units.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

/// Sums of times stay below the one, so that neither bounds nor makespans overflow, noise included;
/// times that are not 0 stay above the other: numbers below 2e-308 are 0 on some processor
/// settings.
constexpr double kLongestTime = 1e300;
constexpr double kShortestTime = 1e-300;

/// An upper bound on the length of any schedule: every op on its slowest device, every transfer
/// over the slowest link, one after the other.
void check_times(const PlacementProblem& problem) {
  const CostTable& costs = problem.costs;
  double sum = 0.0;
  double shortest = 1.0;
  for (const double time : costs.class_compute) {
    sum += std::isfinite(time) ? time : 0.0;
    shortest = time > 0.0 ? std::min(shortest, time) : shortest;
  }
  const auto largest = [](const std::vector<double>& values) {
    return values.empty() ? 0.0 : *std::ranges::max_element(values);
  };
  const double slowest = largest(costs.inverse_speed);
  for (const double size : problem.graph.edge_size()) {
    sum += size * slowest;
    shortest = size > 0.0 ? std::min(shortest, size) : shortest;
  }
  sum += static_cast<double>(problem.graph.num_edges()) * largest(costs.latency);
  if (shortest < kShortestTime) {
    throw InputError("graph '" + problem.graph.name() +
                     "': a time or size lies between 0 and 1e-300; expected 0 or more than that");
  }
  if (!(std::max(sum, sum * costs.seconds_per_unit) <= kLongestTime)) {
    throw InputError("graph '" + problem.graph.name() + "' on topology '" +
                     problem.topology.name() +
                     "': its times add up to more than 1e300; expected smaller times");
  }
}

void check_capacity(const PlacementProblem& problem) {
  const auto memory = problem.graph.memory_bytes();
  const double needed = std::accumulate(memory.begin(), memory.end(), 0.0);
  const auto& capacity = problem.costs.device_memory;
  const double there = std::accumulate(capacity.begin(), capacity.end(), 0.0);
  const auto op = std::max_element(memory.begin(), memory.end());
  const double largest = memory.empty() ? 0.0 : *op;
  const double roomiest = *std::max_element(capacity.begin(), capacity.end());
  if (needed > there || largest > roomiest) {
    throw SolverError(
        "graph '" + problem.graph.name() + "' on topology '" + problem.topology.name() +
        "': infeasible: the ops need " + format(Bytes{needed}) + " of memory, the largest, '" +
        problem.graph.op_name(to_id<OpId>(static_cast<std::size_t>(op - memory.begin()))) + "', " +
        format(Bytes{largest}) + "; the devices hold " + format(Bytes{there}) + ", the largest " +
        format(Bytes{roomiest}));
  }
}

}  // namespace

std::shared_ptr<const PlacementProblem> make_problem(std::string name,
                                                     const Graph& graph,
                                                     const Topology& topology,
                                                     const ExecutionOptions& execution,
                                                     std::optional<double> optimum) {
  auto problem = std::make_shared<PlacementProblem>();
  problem->name = std::move(name);
  problem->graph = graph;
  problem->topology = topology;
  problem->costs = price(graph, topology);
  problem->execution = execution;
  problem->optimum = optimum;
  check_times(*problem);
  problem->lower_bound = makespan_lower_bound(graph, problem->costs, execution);
  check_capacity(*problem);
  return problem;
}

void check_assignment(const PlacementProblem& problem, const Placement& placement) {
  const Graph& graph = problem.graph;
  if (placement.device.size() != graph.num_ops()) {
    throw InputError("placement: " + std::to_string(placement.device.size()) +
                     " devices given; expected one for each of the " +
                     std::to_string(graph.num_ops()) + " ops of '" + graph.name() + "'");
  }
  if (!placement.order.empty() && placement.order.size() != graph.num_ops()) {
    throw InputError("placement: " + std::to_string(placement.order.size()) +
                     " order values given; expected none or one for each of the " +
                     std::to_string(graph.num_ops()) + " ops");
  }
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    const auto op = to_id<OpId>(v);
    const DeviceId device = placement.device[v];
    if (index(device) >= problem.topology.num_devices()) {
      throw InputError("placement: " + graph.op_name(op) + " is on device " +
                       std::to_string(index(device)) + "; topology '" + problem.topology.name() +
                       "' has devices 0 to " + std::to_string(problem.topology.num_devices() - 1));
    }
    if (!problem.costs.can_run(op, device)) {
      throw InputError("placement: " + graph.op_name(op) + " cannot run on device '" +
                       problem.topology.device(device).name + "'");
    }
    if (!placement.order.empty() && !std::isfinite(placement.order[v])) {
      throw InputError("placement: order value of " + graph.op_name(op) + " is " +
                       std::to_string(placement.order[v]) + "; expected a finite number");
    }
  }
}

void check_placement(const PlacementProblem& problem, const Placement& placement) {
  check_assignment(problem, placement);
  std::vector<double> resident(problem.topology.num_devices(), 0.0);
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    resident[index(placement.device[v])] += problem.graph.memory_bytes()[v];
  }
  for (std::size_t d = 0; d < resident.size(); ++d) {
    if (resident[d] > problem.costs.device_memory[d]) {
      throw InputError("placement: device '" + problem.topology.device(to_id<DeviceId>(d)).name +
                       "' needs " + format(Bytes{resident[d]}) + "; it has " +
                       format(Bytes{problem.costs.device_memory[d]}));
    }
  }
}

}  // namespace abi_v1
}  // namespace berth
