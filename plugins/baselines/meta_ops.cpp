// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "meta_ops.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace berth::baselines {

std::vector<MetaOp> meta_ops(const Graph& graph) {
  std::vector<std::uint32_t> level(graph.num_ops(), 0);
  for (const OpId op : graph.topological_order()) {
    for (const OpId next : graph.successors(op)) {
      level[index(next)] = std::max(level[index(next)], level[index(op)] + 1);
    }
  }
  const auto key = [&](std::size_t v) {
    return std::tuple(graph.kind_of()[v], graph.work()[v], level[v]);
  };
  std::vector<MetaOp> groups;
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    if (v == 0 || key(v) != key(v - 1)) {
      groups.emplace_back();
    }
    groups.back().push_back(to_id<OpId>(v));
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const MetaOp& a, const MetaOp& b) {
    return level[index(a.front())] < level[index(b.front())];
  });
  return groups;
}

}  // namespace berth::baselines
