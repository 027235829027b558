// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "graph_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "edge_costs.hpp"

namespace berth::doppler {
namespace {

constexpr std::size_t kLeast = 64;
constexpr std::size_t kUsual = 200;
constexpr std::size_t kMost = 512;
constexpr double kLittle = 0.1;  ///< Time to pass a cut over that to compute a usual piece.

/// What passes a place of a topological order: results made before it and used from there on.
struct Passing {
  double results = 0.0;
  double time = 0.0;  ///< To transfer them one by one.
};

/// [ops + 1] for each place; nothing at both ends.
std::vector<Passing> passing(const Graph& graph,
                             std::span<const OpId> order,
                             const MeanCosts& means) {
  const std::size_t n = order.size();
  std::vector<std::size_t> position(n);
  for (std::size_t i = 0; i < n; ++i) {
    position[index(order[i])] = i;
  }
  std::vector<std::vector<std::size_t>> last_use(n);  // [places] ops last used there
  std::vector<Passing> at(n + 1);
  Passing open;
  for (std::size_t i = 0; i < n; ++i) {
    at[i] = open;
    std::size_t last = i;
    for (const OpId next : graph.successors(order[i])) {
      last = std::max(last, position[index(next)]);
    }
    if (last > i) {
      last_use[last].push_back(index(order[i]));
      open.results += 1.0;
      open.time += means.output[index(order[i])];
    }
    for (const std::size_t op : last_use[i]) {
      open.results -= 1.0;
      open.time -= means.output[op];
    }
  }
  return at;
}

/// [ops + 1] what a cut costs at each place, in pieces of twice the usual size: how many more
/// results a device pass there than at the narrowest place; infinity where too much passes.
std::vector<double> cut_costs(const PlacementProblem& problem) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const auto order = problem.graph.topological_order();
  const std::size_t n = order.size();
  const auto devices = static_cast<double>(problem.costs.num_devices);
  const MeanCosts means = mean_costs(problem);
  const double work = std::accumulate(means.compute.begin(), means.compute.end(), 0.0);
  const double most =
      kLittle * work / devices * static_cast<double>(kUsual) / static_cast<double>(n);
  const std::vector<Passing> at = passing(problem.graph, order, means);
  double fewest = kNever;
  for (std::size_t i = kLeast; i + kLeast <= n; ++i) {
    fewest = std::min(fewest, at[i].results);
  }
  std::vector<double> cost(n + 1, kNever);
  for (std::size_t i = kLeast; i + kLeast <= n; ++i) {
    if (at[i].time <= most) {
      cost[i] = (at[i].results - fewest) / devices;
    }
  }
  return cost;
}

/// Ends of the pieces, the last one ops; only that if there is no way to cut.
std::vector<std::size_t> best_ends(std::span<const double> cost) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const std::size_t n = cost.size() - 1;
  std::vector<double> unusual(kMost + 1);
  for (std::size_t size = kLeast; size <= kMost; ++size) {
    unusual[size] = std::abs(std::log2(static_cast<double>(size) / kUsual));
  }
  std::vector<double> total(n + 1, kNever);  // of the best cuts up to here, a piece ending here
  std::vector<std::size_t> begin(n + 1, 0);
  total[0] = 0.0;
  for (std::size_t end = kLeast; end <= n; ++end) {
    const double cut = end < n ? cost[end] : 0.0;
    if (cut == kNever) {
      continue;
    }
    for (std::size_t size = kLeast; size <= std::min(kMost, end); ++size) {
      const double here = total[end - size] + unusual[size] + cut;
      if (here < total[end]) {
        total[end] = here;
        begin[end] = end - size;
      }
    }
  }
  std::vector<std::size_t> ends = {n};
  if (total[n] < kNever) {
    for (std::size_t at = begin[n]; at > 0; at = begin[at]) {
      ends.push_back(at);
    }
    std::ranges::reverse(ends);
  }
  return ends;
}

}  // namespace

std::vector<std::vector<OpId>> graph_pieces(const PlacementProblem& problem) {
  const auto order = problem.graph.topological_order();
  std::vector<std::size_t> ends = {order.size()};
  if (order.size() > kMost) {
    ends = best_ends(cut_costs(problem));
  }
  std::vector<std::vector<OpId>> pieces;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    pieces.emplace_back(order.begin() + static_cast<std::ptrdiff_t>(begin),
                        order.begin() + static_cast<std::ptrdiff_t>(end));
    std::ranges::sort(pieces.back());
    begin = end;
  }
  return pieces;
}

}  // namespace berth::doppler
