// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "path_rows.hpp"

#include <ranges>

namespace berth::doppler {

std::vector<std::int64_t> depth_first_order(const Graph& graph, Direction direction) {
  const std::size_t n = graph.num_ops();
  const auto children = [&](std::size_t v) {
    const auto op = to_id<OpId>(v);
    return direction == Direction::kForward ? graph.successors(op) : graph.predecessors(op);
  };
  const auto is_root = [&](std::size_t v) {
    const auto op = to_id<OpId>(v);
    return (direction == Direction::kForward ? graph.predecessors(op) : graph.successors(op))
        .empty();
  };
  std::vector<std::int64_t> order;
  std::vector<char> seen(n, 0);
  std::vector<std::size_t> stack;
  for (std::size_t root = 0; root < n; ++root) {
    if (is_root(root)) {
      stack.push_back(root);
    }
    while (!stack.empty()) {
      const std::size_t v = stack.back();
      stack.pop_back();
      if (seen[v] != 0) {
        continue;
      }
      seen[v] = 1;
      order.push_back(static_cast<std::int64_t>(v));
      for (const OpId child : std::ranges::reverse_view(children(v))) {
        stack.push_back(index(child));
      }
    }
  }
  return order;
}

}  // namespace berth::doppler
