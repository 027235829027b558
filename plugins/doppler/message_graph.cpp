// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "message_graph.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "column_scaling.hpp"

namespace berth::doppler {
namespace {

struct Arc {
  double cost = 0.0;
  int direction = 1;
  std::int64_t target = 0;
  std::int64_t source = 0;

  [[nodiscard]] auto value() const { return std::tuple(cost, direction); }
  [[nodiscard]] auto key() const { return std::tuple(cost, direction, target, source); }
};

std::vector<Arc> list_arcs(const Graph& graph,
                           const MeanCosts& costs,
                           ReverseArc reverse,
                           bool directed) {
  std::vector<Arc> arcs;
  arcs.reserve(2 * graph.num_edges());
  for (std::size_t u = 0; u < graph.num_ops(); ++u) {
    for (std::uint64_t e = graph.out_offsets()[u]; e < graph.out_offsets()[u + 1]; ++e) {
      const auto v = static_cast<std::int64_t>(index(graph.out_targets()[e]));
      const double back = reverse == ReverseArc::kOwn ? costs.output[static_cast<std::size_t>(v)]
                                                      : costs.transfer[e];
      arcs.push_back({costs.transfer[e], 1, v, static_cast<std::int64_t>(u)});
      arcs.push_back({back, directed ? -1 : 1, static_cast<std::int64_t>(u), v});
    }
  }
  return arcs;
}

}  // namespace

void fill_message_graph(const Graph& graph,
                        const MeanCosts& costs,
                        ReverseArc reverse,
                        std::size_t columns,
                        EncoderInput& input) {
  std::vector<Arc> arcs = list_arcs(graph, costs, reverse, columns > 1);
  std::sort(arcs.begin(), arcs.end(), [](const Arc& a, const Arc& b) { return a.key() < b.key(); });
  std::vector<double> scaled;
  scaled.reserve(arcs.size());
  for (const Arc& arc : arcs) {
    scaled.push_back(arc.cost);
  }
  normalise_columns(scaled, 1);

  std::vector<std::vector<std::int64_t>> pairs_of(graph.num_ops());
  input.pair_sources.inputs = graph.num_ops();
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const bool new_value = i == 0 || arcs[i].value() != arcs[i - 1].value();
    if (new_value) {
      input.value_offsets.push_back(static_cast<std::int64_t>(input.pair_value.size()));
      input.edge_values.push_back(static_cast<float>(scaled[i]));
      if (columns > 1) {
        input.edge_values.push_back(static_cast<float>(arcs[i].direction));
      }
    }
    if (new_value || arcs[i].target != arcs[i - 1].target) {
      pairs_of[static_cast<std::size_t>(arcs[i].target)].push_back(
          static_cast<std::int64_t>(input.pair_value.size()));
      input.pair_value.push_back(static_cast<std::int64_t>(input.value_offsets.size()) - 1);
      input.pair_sources.offsets.push_back(static_cast<std::int64_t>(i));
    }
    input.pair_sources.columns.push_back(arcs[i].source);
  }
  input.value_offsets.push_back(static_cast<std::int64_t>(input.pair_value.size()));
  input.pair_sources.offsets.push_back(static_cast<std::int64_t>(arcs.size()));

  input.target_pairs.inputs = input.pair_value.size();
  input.target_pairs.offsets.push_back(0);
  for (const std::vector<std::int64_t>& pairs : pairs_of) {
    input.target_pairs.columns.insert(input.target_pairs.columns.end(), pairs.begin(), pairs.end());
    input.target_pairs.offsets.push_back(
        static_cast<std::int64_t>(input.target_pairs.columns.size()));
  }
}

}  // namespace berth::doppler
