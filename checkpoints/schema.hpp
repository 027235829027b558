// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>

#include "checkpoint.hpp"
#include "hdf5_handle.hpp"

namespace berth::checkpoints {

inline constexpr const char* kFormatAttribute = "format";
inline const std::string kFormatName = "berth-checkpoint";
/// On a dataset of packed tensors: which they are.
inline constexpr const char* kIndexAttribute = "tensors";

/// Fixed-length UTF-8 text padded with NUL; variable-length text would lie in a heap without
/// checksums. Empty text takes one NUL.
[[nodiscard]] Hdf5Handle text_type(std::size_t size);

/// How the values of an entry lie in the file: little-endian, whatever the machine.
[[nodiscard]] Hdf5Handle stored_type(const Entry& entry);
/// How they lie in memory.
[[nodiscard]] Hdf5Handle memory_type(const Entry& entry);
/// First of the values of an entry.
[[nodiscard]] const void* values_of(const Entry& entry);

}  // namespace berth::checkpoints
