// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "berth/problem.hpp"

namespace berth {

/// `delay` written from its definition, without event lists: steps from instant to instant and
/// looks at every op each time. @return makespan, +infinity if the ops never all finish.
inline double naive_delay_makespan(const PlacementProblem& problem,
                                   const std::vector<DeviceId>& device,
                                   const std::vector<double>& order,
                                   Discipline discipline,
                                   std::uint32_t streams) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const Graph& graph = problem.graph;
  const std::size_t n = graph.num_ops();
  std::vector<double> start(n, kNever);
  std::vector<double> finish(n, kNever);
  const auto ready = [&](std::size_t v) {
    double time = 0.0;
    for (std::size_t u = 0; u < n; ++u) {
      const auto row = graph.successors(to_id<OpId>(u));
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (index(row[i]) == v) {
          const double size = graph.edge_size()[graph.out_offsets()[u] + i];
          time = std::max(time, finish[u] + problem.costs.transfer(size, device[u], device[v]));
        }
      }
    }
    return time;
  };
  const auto value = [&](std::size_t v) { return order.empty() ? 0.0 : order[v]; };
  double now = 0.0;
  while (true) {
    bool any = false;
    for (std::size_t d = 0; d < problem.topology.num_devices(); ++d) {
      std::size_t running = 0;
      std::size_t best = n;
      std::size_t turn = n;
      for (std::size_t v = 0; v < n; ++v) {
        if (index(device[v]) != d) {
          continue;
        }
        running += start[v] <= now && finish[v] > now ? 1U : 0U;
        if (start[v] < kNever) {
          continue;
        }
        if (turn == n || std::tuple(value(v), v) < std::tuple(value(turn), turn)) {
          turn = v;
        }
        const double priority = discipline == Discipline::kPriority ? value(v) : 0.0;
        const double other = best < n && discipline == Discipline::kPriority ? value(best) : 0.0;
        if (ready(v) <= now && (best == n || std::tuple(priority, ready(v), v) <
                                                 std::tuple(other, ready(best), best))) {
          best = v;
        }
      }
      if (discipline == Discipline::kStaticOrder) {
        best = turn < n && ready(turn) <= now ? turn : n;
      }
      if (best < n && running < streams) {
        start[best] = now;
        // Not finished before all devices had their turn of this round.
        finish[best] = kNever;
        any = true;
      }
    }
    for (std::size_t v = 0; v < n; ++v) {
      if (start[v] == now && finish[v] == kNever) {
        finish[v] = now + problem.costs.compute(to_id<OpId>(v), device[v]);
      }
    }
    if (any) {
      continue;
    }
    double next = kNever;
    for (std::size_t v = 0; v < n; ++v) {
      if (finish[v] > now) {
        next = std::min(next, finish[v]);
      }
      const double at = ready(v);
      if (start[v] == kNever && at > now) {
        next = std::min(next, at);
      }
    }
    if (next == kNever) {
      break;
    }
    now = next;
  }
  return finish.empty() ? 0.0 : *std::max_element(finish.begin(), finish.end());
}

}  // namespace berth
