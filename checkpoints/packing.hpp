// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "checkpoint.hpp"

namespace berth::checkpoints {

/// One dataset of the file: an entry as it is, or the small tensors of one group and one type
/// laid end to end (a dataset costs tens of microseconds however small it is).
struct Block {
  std::string path;
  Entry entry;
  std::string index;  ///< JSON [{"name", "shape"}, ...] in order; empty unless packed.
};

/// Tensors with fewer values than this are packed.
inline constexpr std::size_t kPackBelow = 4096;

/// The datasets that hold a state, sorted by path.
[[nodiscard]] std::vector<Block> pack(const State& state);

/// The state held by datasets. @throws CheckpointError (without a file name) for an index that is
/// no JSON of the form above or does not fit its dataset, and for a name that occurs twice.
[[nodiscard]] State unpack(std::vector<Block> blocks);

}  // namespace berth::checkpoints
