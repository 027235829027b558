// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/config.hpp"

namespace berth::launcher {

/// A TOML file as a table. @throws InputError naming file and line of what is no TOML.
[[nodiscard]] toml::table read_toml(const std::filesystem::path& file);

/// "file:line" for messages.
[[nodiscard]] std::string place_of(const std::filesystem::path& file,
                                   const toml::source_region& region);

/// A TOML scalar as the text that an option takes.
/// @throws InputError for a list, a table or a date.
[[nodiscard]] std::string text_of(const toml::node& node,
                                  const std::string& place,
                                  const std::string& key);

/// Config::set() with `place` in front of what it throws.
void set_checked(Config& config,
                 const std::string& place,
                 std::string_view key,
                 const std::string& text);

/// Refuses a key: names the nearest of `names`, or all of them if none is near.
/// @throws InputError always.
[[noreturn]] void refuse_key(const std::string& place,
                             const std::string& key,
                             const std::vector<std::string>& names);

/// The tables of a list. @throws InputError for anything but a list of tables.
[[nodiscard]] std::vector<const toml::table*> tables_of(const toml::node& node,
                                                        const std::filesystem::path& file,
                                                        const std::string& list);

}  // namespace berth::launcher
