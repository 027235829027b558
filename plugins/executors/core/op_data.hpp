// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

namespace berth::executors {

/// Where an op's data lies in one placement.
struct OpData {
  float* output = nullptr;
  /// For each operand: the graph input's block, or else one pointer a piece, all in one row.
  std::span<const float* const> sources;
};

}  // namespace berth::executors
