// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string_view>

namespace berth::datasets {

/// Writes a file so that readers see the old content or the new, never a part: a temporary file
/// beside it, flushed to disk, then renamed. A device or pipe is written in place; of a symbolic
/// link, the file that it leads to.
///
/// @throws InputError if the file cannot be created, RunError if writing fails (disk full).
void write_atomically(const std::filesystem::path& file, std::string_view content);

}  // namespace berth::datasets
