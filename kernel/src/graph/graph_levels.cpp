// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/graph_levels.hpp"

#include <algorithm>
#include <limits>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

void check_sizes(const Graph& graph,
                 std::span<const double> compute_time,
                 std::span<const double> transfer_time) {
  BERTH_CHECK(compute_time.size() == graph.num_ops(), "one compute time per op");
  BERTH_CHECK(transfer_time.empty() || transfer_time.size() == graph.num_edges(),
              "one transfer time per edge");
}

}  // namespace

std::vector<double> bottom_levels(const Graph& graph,
                                  std::span<const double> compute_time,
                                  std::span<const double> transfer_time) {
  check_sizes(graph, compute_time, transfer_time);
  const auto offsets = graph.out_offsets();
  const auto targets = graph.out_targets();
  const auto order = graph.topological_order();
  std::vector<double> level(graph.num_ops());
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    const std::size_t v = index(*op);
    double below = 0.0;
    for (std::uint64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      const double transfer = transfer_time.empty() ? 0.0 : transfer_time[e];
      below = std::max(below, transfer + level[index(targets[e])]);
    }
    level[v] = compute_time[v] + below;
  }
  return level;
}

std::vector<double> top_levels(const Graph& graph,
                               std::span<const double> compute_time,
                               std::span<const double> transfer_time) {
  check_sizes(graph, compute_time, transfer_time);
  const auto offsets = graph.out_offsets();
  const auto targets = graph.out_targets();
  std::vector<double> level(graph.num_ops(), 0.0);
  for (const OpId op : graph.topological_order()) {
    const std::size_t v = index(op);
    for (std::uint64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      const double transfer = transfer_time.empty() ? 0.0 : transfer_time[e];
      double& target = level[index(targets[e])];
      target = std::max(target, level[v] + compute_time[v] + transfer);
    }
  }
  return level;
}

std::vector<OpId> critical_path(const Graph& graph,
                                std::span<const double> compute_time,
                                std::span<const double> transfer_time) {
  const std::vector<double> level = bottom_levels(graph, compute_time, transfer_time);
  const auto offsets = graph.out_offsets();
  const auto targets = graph.out_targets();
  std::vector<OpId> path;
  if (level.empty()) {
    return path;
  }
  auto v = static_cast<std::size_t>(std::max_element(level.begin(), level.end()) - level.begin());
  while (true) {
    path.push_back(to_id<OpId>(v));
    if (offsets[v] == offsets[v + 1]) {
      return path;
    }
    std::size_t next = v;
    double most = -std::numeric_limits<double>::infinity();
    for (std::uint64_t e = offsets[v]; e < offsets[v + 1]; ++e) {
      const double below =
          (transfer_time.empty() ? 0.0 : transfer_time[e]) + level[index(targets[e])];
      if (below > most) {
        most = below;
        next = index(targets[e]);
      }
    }
    v = next;
  }
}

}  // namespace abi_v1
}  // namespace berth
