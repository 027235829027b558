// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "op_shape.hpp"

namespace berth::executors {

/// Joins neighbouring loops that one loop can walk, and drops loops of length 1.
[[nodiscard]] std::vector<Loop> fused(std::vector<Loop> loops);

/// Splits the loops of a contraction into outer loops and a matrix product: rows are an axis of
/// the first operand and the output, columns one of the second and the output, the inner axis one
/// of both operands; each the longest that leaves every matrix an axis of stride 1.
/// @return false if there is none.
[[nodiscard]] bool make_product(const std::vector<Loop>& output,
                                const std::vector<Loop>& reduced,
                                OpShape& shape);

}  // namespace berth::executors
