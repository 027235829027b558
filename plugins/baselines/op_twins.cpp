// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "op_twins.hpp"

#include <algorithm>
#include <map>

namespace berth::baselines {

std::vector<std::uint32_t> op_twins(const PlacementProblem& problem) {
  const Graph& graph = problem.graph;
  std::map<std::vector<double>, std::uint32_t> latest;
  std::vector<std::uint32_t> twin(graph.num_ops());
  for (std::uint32_t v = 0; v < twin.size(); ++v) {
    std::vector<double> key;
    for (std::size_t c = 0; c < problem.costs.num_classes; ++c) {
      key.push_back(problem.costs.class_compute[v * problem.costs.num_classes + c]);
    }
    key.push_back(graph.memory_bytes()[v]);
    std::vector<std::pair<double, double>> around;  // successors, then predecessors from -1 down
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      around.emplace_back(static_cast<double>(index(graph.out_targets()[e])), graph.edge_size()[e]);
    }
    for (std::uint64_t e = graph.in_offsets()[v]; e < graph.in_offsets()[v + 1]; ++e) {
      around.emplace_back(-1.0 - static_cast<double>(index(graph.in_sources()[e])),
                          graph.edge_size()[index(graph.in_edges()[e])]);
    }
    std::sort(around.begin(), around.end());
    for (const auto& [op, size] : around) {
      key.push_back(op);
      key.push_back(size);
    }
    const auto [known, is_new] = latest.try_emplace(std::move(key), v);
    twin[v] = known->second;
    known->second = v;
  }
  return twin;
}

}  // namespace berth::baselines
