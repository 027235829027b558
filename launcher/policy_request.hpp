// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/config.hpp"
#include "berth/plugin_host.hpp"

namespace berth::launcher {

/// A policy as a user types it: "heft" or "annealing(simulations=20000, restarts=3)".
struct PolicyRequest {
  std::string text;  ///< As typed, without outer blanks: the label of tables.
  std::string name;
  std::vector<std::pair<std::string, std::string>> settings;  ///< In the order typed.
};

/// What messages call a policy, and an example of one.
struct PolicyWords {
  std::string_view kind = "policy";
  std::string_view example = "heft or annealing(simulations=20000,restarts=3)";
};
inline constexpr PolicyWords kSchedulerWords{"scheduler", "hadar(preset=ttd) or fifo"};
inline constexpr PolicyWords kExecutorWords{"executor", "cpu or cpu(cores_per_device=1)"};

/// @throws InputError showing the text and what is wrong with it.
[[nodiscard]] PolicyRequest parse_policy(std::string_view text, const PolicyWords& words = {});

/// A list separated by commas: "heft,critical-path(runs=50),annealing(simulations=20000)".
/// @throws InputError as parse_policy(), or if the list is empty.
[[nodiscard]] std::vector<PolicyRequest> parse_policies(std::string_view text,
                                                        const PolicyWords& words = {});

/// parse_policies() of the list that an option holds.
/// @throws InputError also, naming the option, if one text comes twice; a policy may, with other
///         options.
[[nodiscard]] std::vector<PolicyRequest> distinct_policies(std::string_view option,
                                                           std::string_view text,
                                                           const PolicyWords& words = {});

/// The offer's options with the request's settings. Loads the plugin.
/// @throws PluginError if no plugin offers the policy; InputError on an unknown option (names the
///         nearest) or a value out of range.
[[nodiscard]] Config policy_config(PluginHost& host,
                                   std::string_view interface_id,
                                   const PolicyRequest& request);

}  // namespace berth::launcher
