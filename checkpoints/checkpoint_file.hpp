// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

#include "checkpoint.hpp"

namespace berth::checkpoints {

/// Writes a checkpoint as HDF5 (SCHEMA.md), atomically: a temporary file beside `file`, fsync,
/// rename, fsync of the folder. Equal content gives equal bytes.
/// @throws RunError naming the file and the system's reason (disk full, no permission); what was
///         at `file` before stays as it was.
void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& file);

/// Reads and verifies a whole checkpoint: every checksum, then every name and shape.
/// @throws CheckpointError naming file, found and expected: absent, truncated, foreign, newer or
///         damaged.
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& file);

}  // namespace berth::checkpoints
