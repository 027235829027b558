// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "op_levels.hpp"

#include <algorithm>
#include <ranges>

namespace berth::doppler {

Levels b_levels(const Graph& graph, const MeanCosts& costs) {
  const std::size_t n = graph.num_ops();
  Levels levels{costs.compute, std::vector(n, static_cast<std::int64_t>(n))};
  for (const OpId op : std::ranges::reverse_view(graph.topological_order())) {
    const std::size_t v = index(op);
    double most = 0.0;
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      const std::size_t w = index(graph.out_targets()[e]);
      const double through = costs.transfer[e] + levels.level[w];
      if (levels.next[v] == static_cast<std::int64_t>(n) || through > most) {
        most = through;
        levels.next[v] = static_cast<std::int64_t>(w);
      }
    }
    levels.level[v] += most;
  }
  return levels;
}

Levels t_levels(const Graph& graph, const MeanCosts& costs, LevelCost cost) {
  const std::size_t n = graph.num_ops();
  Levels levels{costs.compute, std::vector(n, static_cast<std::int64_t>(n))};
  for (const OpId op : graph.topological_order()) {
    const std::size_t v = index(op);
    double most = 0.0;
    for (std::uint64_t k = graph.in_offsets()[v]; k < graph.in_offsets()[v + 1]; ++k) {
      const std::size_t u = index(graph.in_sources()[k]);
      const double through =
          levels.level[u] +
          (cost == LevelCost::kOwn ? costs.output[v] : costs.transfer[index(graph.in_edges()[k])]);
      if (levels.next[v] == static_cast<std::int64_t>(n) || through > most) {
        most = through;
        levels.next[v] = static_cast<std::int64_t>(u);
      }
    }
    levels.level[v] += most;
  }
  return levels;
}

std::vector<std::uint32_t> depths(const Graph& graph) {
  std::vector<std::uint32_t> depth(graph.num_ops(), 0);
  for (const OpId op : graph.topological_order()) {
    for (const OpId next : graph.successors(op)) {
      depth[index(next)] = std::max(depth[index(next)], depth[index(op)] + 1);
    }
  }
  return depth;
}

}  // namespace berth::doppler
