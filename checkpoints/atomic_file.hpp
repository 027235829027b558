// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace berth::checkpoints {

/// Replaces `file` by `bytes`, or leaves it as it was: `file`.partial, fsync, rename, fsync of
/// the folder. @throws RunError naming the file and the system's reason.
void write_atomically(const std::filesystem::path& file, std::span<const std::byte> bytes);

/// Makes `alias` another name of `file`, atomically: a hard link, or a copy where the file system
/// has none. @throws RunError naming both.
void link_atomically(const std::filesystem::path& file, const std::filesystem::path& alias);

}  // namespace berth::checkpoints
