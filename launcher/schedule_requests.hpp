// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/plugin_host.hpp"

#include "command_line.hpp"
#include "policy_request.hpp"

namespace berth::launcher {

/// The schedulers that --scheduler asks for. "all", by itself, is every one that is offered, Hadar
/// by each preset; with --fork it is HadarE with and without copies. Only schedulers whose name
/// begins with "hadare" assign copies: they need --fork, and --fork needs one of them.
/// @throws InputError naming what is wrong with the list or does not go with --fork; PluginError
/// where no plugin offers one.
[[nodiscard]] std::vector<PolicyRequest> requested_schedulers(const CommandLine& line,
                                                              PluginHost& host);

}  // namespace berth::launcher
