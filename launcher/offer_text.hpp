// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "berth/plugin_abi.h"
#include "berth/plugin_host.hpp"

namespace berth::launcher {

// Offers and their options as listings show them.

/// "integer", "real", "flag", "text" or "choice".
[[nodiscard]] std::string type_name(const berth_option_spec& option);

/// The name of its flag, dashes for underscores.
[[nodiscard]] std::string flag_of(const berth_option_spec& option);

/// What a value may be, for people: "1 to 1000000 s", "true, false", "delay, links"; "" for text.
[[nodiscard]] std::string range_text(const berth_option_spec& option);

/// Whether an unset option has the value that the offer's option "preset" gives it: its default is
/// the choice "preset", or a number of -1 that is out of its range otherwise.
[[nodiscard]] bool is_by_preset(const berth_offer& offer, const berth_option_spec& option);
/// The default, or "by preset".
[[nodiscard]] std::string default_text(const berth_offer& offer, const berth_option_spec& option);

/// One algorithm under each interface that it has, with the same options under all of them.
using SharedOffers = std::vector<const berth_offer*>;
/// Offers of one name and the same options side by side, in the order of their first ones.
[[nodiscard]] std::vector<SharedOffers> shared_offers(std::span<const berth_offer* const> offers);
/// "doppler (berth.trainable/1, berth.placement/1)", each interface between `quote`s.
[[nodiscard]] std::string heading(const SharedOffers& offers, const std::string& quote);

/// One plugin with its offers and their options.
[[nodiscard]] nlohmann::ordered_json to_json(const LoadedPlugin& plugin);

/// One offer with its options.
[[nodiscard]] nlohmann::ordered_json to_json(const berth_offer& offer);

/// The page OPTIONS.md: every option of every loaded plugin, plugins and offers by name. Holds
/// nothing of the machine it was written on.
[[nodiscard]] std::string options_page(const PluginHost& host);

}  // namespace berth::launcher
