// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/operator_scheduler.hpp"

namespace berth::nest {

/// Per second: programs count in microseconds, so that GLPK's tolerances fit.
inline constexpr double kMicroseconds = 1e6;

[[nodiscard]] inline bool uses(const LayerOperator& op, OperatorCore kind) {
  return op.core == kind || op.core == OperatorCore::kBoth;
}

/// The order between operators of a graph, for everything that schedules it.
struct OperatorOrder {
  std::vector<std::vector<std::uint32_t>> successors;  ///< Direct, transitive ones left out.
  std::vector<std::vector<std::uint32_t>> predecessors;
  std::vector<double> head;  ///< Longest path before an operator, better times.
  std::vector<double> tail;  ///< Longest path from an operator on, itself included.
  std::vector<std::vector<bool>> reaches;

  [[nodiscard]] bool comparable(std::size_t u, std::size_t v) const {
    return reaches[u][v] || reaches[v][u];
  }
};

/// Cost O(operators x edges).
[[nodiscard]] OperatorOrder order_of(const OperatorGraph& graph);

/// Whether an operator is shorter alone on all cores, one entry each.
[[nodiscard]] std::vector<std::uint8_t> wants_all_cores(const OperatorGraph& graph);

/// List scheduling: at each event, ready operators by falling priority (ties: smaller number). One
/// that is to run alone starts if nothing runs; if it is the first in line it lets the accelerator
/// drain, else it is passed over. Any other starts if a core is free. The makespan is filled in,
/// bounds are not. Cost O(operators^2).
[[nodiscard]] OperatorSchedule list_schedule(const OperatorGraph& graph,
                                             const OperatorOrder& order,
                                             std::span<const std::uint8_t> alone,
                                             std::span<const double> priority);

/// The list schedule with the longest tail first, improved by turning single decisions to run
/// alone as long as that helps. Cost O(operators^3) a round, few rounds.
[[nodiscard]] OperatorSchedule improved_list_schedule(const OperatorGraph& graph,
                                                      const OperatorOrder& order);

}  // namespace berth::nest
