// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "berth/plugin_host.hpp"

#include "command_line.hpp"
#include "policy_request.hpp"

namespace berth::launcher {

/// Whether a scheduler assigns copies of forked jobs: one that has the option "copies".
/// @throws PluginError if no plugin offers it.
[[nodiscard]] bool assigns_copies(PluginHost& host, const std::string& scheduler);

/// The schedulers that --scheduler asks for. "all", by itself, is every one that is offered, Hadar
/// by each preset; with --fork it is HadarE with and without copies. Schedulers that assign copies
/// need --fork, and --fork needs one of them.
/// @throws InputError naming what is wrong with the list or does not go with --fork; PluginError
/// where no plugin offers one.
[[nodiscard]] std::vector<PolicyRequest> requested_schedulers(const CommandLine& line,
                                                              PluginHost& host);

}  // namespace berth::launcher
