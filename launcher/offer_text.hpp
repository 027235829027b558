// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "berth/plugin_abi.h"
#include "berth/plugin_host.hpp"

namespace berth::launcher {

// Offers and their options as listings show them.

/// "integer", "real", "flag", "text" or "choice".
[[nodiscard]] std::string type_name(const berth_option_spec& option);

/// What a value may be, for people: "1 to 1000000 s", "true, false", "delay, links"; "" for text.
[[nodiscard]] std::string range_text(const berth_option_spec& option);

/// One plugin with its offers and their options.
[[nodiscard]] nlohmann::ordered_json to_json(const LoadedPlugin& plugin);

/// One offer with its options.
[[nodiscard]] nlohmann::ordered_json to_json(const berth_offer& offer);

/// The page OPTIONS.md: every option of every loaded plugin, plugins and offers by name. Holds
/// nothing of the machine it was written on.
[[nodiscard]] std::string options_page(const PluginHost& host);

}  // namespace berth::launcher
