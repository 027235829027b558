// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

namespace berth::datasets {

/// Whether a write replaces the file as a whole; false where something other than a file, such as a
/// device or a pipe, is written to in place.
/// @throws InputError naming what is a folder or no name of a file.
[[nodiscard]] bool is_replaced_whole(const std::filesystem::path& file);

/// The file that a write to `file` changes: of a symbolic link what it leads to, which need not be
/// there; where that is a device or a pipe, and of any other file, itself.
/// @throws InputError naming a link that leads back to itself.
[[nodiscard]] std::filesystem::path followed(const std::filesystem::path& file);

/// Says before a long run that its result could not be written after it. Leaves no file behind and
/// touches none that is there; a device or pipe is asked for its permissions only.
/// @throws InputError naming the file and why, as write_atomically() would.
void check_writable(const std::filesystem::path& file);

/// The same of a folder for files to be written, which is made with its parents if it is not there.
/// @throws InputError naming the folder and why nothing can be made in it.
void check_writable_folder(const std::filesystem::path& folder);

}  // namespace berth::datasets
