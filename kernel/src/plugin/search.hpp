// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace berth::internal {

/// The files `berth_*.so` of one directory by name; none where the directory does not exist.
[[nodiscard]] std::vector<std::filesystem::path> plugin_files(
    const std::filesystem::path& directory);

/// Every plugin file of the directories, likeliest home of the algorithm `name` first: the files
/// `berth_<name>.so` in order of the directories, then those that hold the name as a string, then
/// all others.
[[nodiscard]] std::vector<std::filesystem::path> plugin_files_for(
    std::span<const std::filesystem::path> directories, std::string_view name);

}  // namespace berth::internal
