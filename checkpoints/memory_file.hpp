// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "hdf5_handle.hpp"

namespace berth::checkpoints {

/// Builds an HDF5 file in memory and returns its bytes as they are after a clean close, so that
/// writing them to disk is plain, checked system calls. (H5Fget_file_image() would return a file
/// that is still marked as open for writing.)
/// @throws Hdf5Failure, and whatever `fill` throws.
[[nodiscard]] std::vector<std::byte> build_in_memory(const std::function<void(hid_t file)>& fill);

}  // namespace berth::checkpoints
