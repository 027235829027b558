// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "node_features.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "column_scaling.hpp"

namespace berth::doppler {
namespace {

/// log2(part / whole) as a fraction of 4, between -1 and 1.
double magnitude(double part, double whole) {
  if (part <= 0.0 || whole <= 0.0) {
    return part <= 0.0 && whole > 0.0 ? -1.0 : 0.0;
  }
  return std::clamp(std::log2(part / whole) / 4.0, -1.0, 1.0);
}

}  // namespace

std::vector<double> paper_node_features(const Graph& graph,
                                        const MeanCosts& costs,
                                        const Levels& b,
                                        const Levels& t) {
  std::vector<double> x(graph.num_ops() * kPaperNodeColumns, 0.0);
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    double* row = x.data() + v * kPaperNodeColumns;
    row[0] = costs.compute[v];
    row[1] = b.level[v];
    row[2] = t.level[v];
    for (std::uint64_t k = graph.in_offsets()[v]; k < graph.in_offsets()[v + 1]; ++k) {
      row[3] += costs.transfer[index(graph.in_edges()[k])];
    }
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      row[4] += costs.transfer[e];
    }
  }
  return x;
}

BlockRuns block_runs(const Graph& graph) {
  const std::vector<std::uint32_t> depth = depths(graph);
  const auto key = [&](std::size_t v) {
    return std::tuple(graph.kind_of()[v], graph.work()[v], depth[v]);
  };
  BlockRuns runs;
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    if (v == 0 || key(v) != key(v - 1)) {
      runs.size.push_back(0);
    }
    runs.run_of.push_back(static_cast<std::uint32_t>(runs.size.size() - 1));
    runs.position.push_back(runs.size.back()++);
  }
  return runs;
}

std::vector<double> rich_node_features(const Graph& graph,
                                       const std::vector<double>& paper,
                                       const BlockRuns& runs,
                                       const Surroundings& around) {
  const std::size_t n = graph.num_ops();
  const std::vector<std::uint32_t> depth = depths(graph);
  constexpr std::size_t kNormalised = 10;
  std::vector<double> scaled(n * kNormalised);
  for (std::size_t v = 0; v < n; ++v) {
    double* row = scaled.data() + v * kNormalised;
    std::copy_n(paper.data() + v * kPaperNodeColumns, kPaperNodeColumns, row);
    const auto op = to_id<OpId>(v);
    row[5] = std::log1p(static_cast<double>(graph.predecessors(op).size()));
    row[6] = std::log1p(static_cast<double>(graph.successors(op).size()));
    row[7] = row[1] + row[2];
    row[8] = depth[v];
    row[9] = std::log2(static_cast<double>(runs.size[runs.run_of[v]]));
  }
  double work = 0.0;
  double transfer = 0.0;
  for (std::size_t v = 0; v < n; ++v) {
    work += paper[v * kPaperNodeColumns];
    transfer += paper[v * kPaperNodeColumns + 4];
  }
  const double per_edge = transfer / std::max<double>(1.0, static_cast<double>(graph.num_edges()));
  const double of_all[] = {
      magnitude(per_edge, work / std::max<double>(1.0, static_cast<double>(n))),
      magnitude(around.devices, 4.0),
      magnitude(work / around.devices, around.longest_path)};
  normalise_columns(scaled, kNormalised);
  std::vector<double> x(n * kRichNodeColumns);
  for (std::size_t v = 0; v < n; ++v) {
    double* row = x.data() + v * kRichNodeColumns;
    std::copy_n(scaled.data() + v * kNormalised, kNormalised, row);
    row[10] = 2.0 * (static_cast<double>(v) + 0.5) / static_cast<double>(n) - 1.0;
    const std::uint32_t size = runs.size[runs.run_of[v]];
    const std::uint32_t at = runs.position[v];
    row[11] = 2.0 * (at + 0.5) / size - 1.0;
    for (std::uint32_t bit = 0; bit < 3; ++bit) {
      row[12 + bit] = size == 1 ? 0.0 : ((at >> bit) % 2 == 0 ? -1.0 : 1.0);
    }
    std::copy_n(of_all, 3, row + 15);
    row[18] = magnitude(around.slowdown[v], 1.0);
  }
  return x;
}

}  // namespace berth::doppler
