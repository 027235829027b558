// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "berth/graph_levels.hpp"

#include "partial_schedule.hpp"

namespace berth::baselines {

std::vector<double> upward_ranks(const PlacementProblem& problem) {
  return bottom_levels(problem.graph,
                       problem.costs.mean_compute(problem.graph.num_ops()),
                       problem.costs.mean_transfer(problem.graph));
}

std::vector<OpId> by_descending_rank(const Graph& graph, const std::vector<double>& rank) {
  const auto topological = graph.topological_order();
  std::vector<OpId> ops(topological.begin(), topological.end());
  std::stable_sort(
      ops.begin(), ops.end(), [&rank](OpId a, OpId b) { return rank[index(a)] > rank[index(b)]; });
  return ops;
}

std::vector<double> optimistic_costs(const PlacementProblem& problem) {
  const Graph& graph = problem.graph;
  const CostTable& costs = problem.costs;
  const std::size_t devices = costs.num_devices;
  const std::vector<double> transfer = costs.mean_transfer(graph);
  std::vector<double> table(graph.num_ops() * devices, 0.0);
  const auto order = graph.topological_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    for (std::size_t d = 0; d < devices; ++d) {
      double& cell = table[index(*op) * devices + d];
      for (std::uint64_t e = graph.out_offsets()[index(*op)];
           e < graph.out_offsets()[index(*op) + 1];
           ++e) {
        const OpId next = graph.out_targets()[e];
        double best = std::numeric_limits<double>::infinity();
        for (std::size_t to = 0; to < devices; ++to) {
          best = std::min(best,
                          table[index(next) * devices + to] +
                              costs.compute(next, to_id<DeviceId>(to)) +
                              (to == d ? 0.0 : transfer[e]));
        }
        cell = std::max(cell, best);
      }
    }
  }
  return table;
}

}  // namespace berth::baselines
