// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "graph_summary.hpp"

#include <algorithm>
#include <numeric>

#include "berth/graph_levels.hpp"

namespace berth::datasets {
namespace {

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double greatest(const std::vector<double>& values) {
  return values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
}

}  // namespace

GraphSummary summarise(const Graph& graph) {
  GraphSummary summary;
  std::vector<std::size_t> ops_of_kind(graph.kinds().size(), 0);
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    const std::size_t in = graph.predecessors(to_id<OpId>(v)).size();
    const std::size_t out = graph.successors(to_id<OpId>(v)).size();
    summary.sources += in == 0 ? 1 : 0;
    summary.sinks += out == 0 ? 1 : 0;
    summary.max_in_degree = std::max(summary.max_in_degree, in);
    summary.max_out_degree = std::max(summary.max_out_degree, out);
    ++ops_of_kind[graph.kind_of()[v]];
  }
  const std::vector<double> one(graph.num_ops(), 1.0);
  summary.levels = static_cast<std::size_t>(greatest(bottom_levels(graph, one, {})));
  summary.longest_path = greatest(bottom_levels(graph, graph.work(), {}));
  std::vector<double> costs(graph.work().begin(), graph.work().end());
  std::sort(costs.begin(), costs.end());
  summary.distinct_costs =
      static_cast<std::size_t>(std::unique(costs.begin(), costs.end()) - costs.begin());
  summary.total_work = sum(graph.work());
  summary.total_edge_size = sum(graph.edge_size());
  summary.total_memory_bytes = sum(graph.memory_bytes());
  for (std::size_t k = 0; k < ops_of_kind.size(); ++k) {
    summary.kinds.emplace_back(graph.kinds()[k], ops_of_kind[k]);
  }
  return summary;
}

}  // namespace berth::datasets
