// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "berth/export.hpp"
#include "berth/graph.hpp"

namespace berth {
inline namespace abi_v1 {

/// Longest path from each op to a sink, the op's own time included ("bottom level").
///
/// @param compute_time [num_ops], any one unit, >= 0.
/// @param transfer_time [num_edges], the same unit; empty: transfers are free.
/// @return [num_ops]. Cost O(ops + edges).
[[nodiscard]] BERTH_API std::vector<double> bottom_levels(const Graph& graph,
                                                          std::span<const double> compute_time,
                                                          std::span<const double> transfer_time);

/// Longest path from a source to each op, the op's own time excluded ("top level"): its earliest
/// start on unlimited devices. Parameters and cost as bottom_levels().
[[nodiscard]] BERTH_API std::vector<double> top_levels(const Graph& graph,
                                                       std::span<const double> compute_time,
                                                       std::span<const double> transfer_time);

/// The ops of one longest path, source to sink; ties go to the first op by id, then edge order.
[[nodiscard]] BERTH_API std::vector<OpId> critical_path(const Graph& graph,
                                                        std::span<const double> compute_time,
                                                        std::span<const double> transfer_time);

}  // namespace abi_v1
}  // namespace berth
