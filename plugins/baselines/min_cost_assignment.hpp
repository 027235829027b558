// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace berth::baselines {

/// The assignment of rows to distinct columns with the least total cost (Kuhn 1955, by shortest
/// augmenting paths).
///
/// @param cost [size, size], any one unit; +infinity forbids a pair.
/// @return [size] column of each row; empty if every assignment holds a forbidden pair.
/// Cost O(size^3).
[[nodiscard]] std::vector<std::size_t> min_cost_assignment(std::span<const double> cost,
                                                           std::size_t size);

}  // namespace berth::baselines
