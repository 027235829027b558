// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "core/op_shape.hpp"

namespace berth::executors {

/// Where an op's data lies in one placement.
struct OpData {
  float* output = nullptr;
  /// For each operand: the graph input's block, or else one pointer a piece, all in one row.
  std::span<const float* const> sources;
};

/// Runs a kernel on the calling thread. @pre shape.function is not kEmulated;
/// workspace holds shape.workspace_reals.
void run_kernel(const OpShape& shape, const OpData& data, float* workspace) noexcept;

}  // namespace berth::executors
