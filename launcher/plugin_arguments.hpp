// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"

namespace berth::launcher {

/// Adds --plugin FILE and --plugin-dir DIR, both repeatable, to a command's flags.
void add_plugin_arguments(boost::program_options::options_description& flags);

/// Where plugins are looked for: --plugin files, --plugin-dir folders, the folders of
/// $BERTH_PLUGIN_PATH (separated by colons), then ../lib/berth/plugins beside the executable's
/// folder. Never the working directory.
/// @throws InputError if a --plugin-dir is no folder.
[[nodiscard]] PluginHost::SearchPath plugin_search_path(
    const boost::program_options::variables_map& given);

/// A host on plugin_search_path(). `logger` must outlive it.
[[nodiscard]] std::unique_ptr<PluginHost> make_plugin_host(
    const boost::program_options::variables_map& given, Logger& logger);

}  // namespace berth::launcher
