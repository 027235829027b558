// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

#include "berth/plugin_abi.h"

namespace berth::internal {

/// Maps a library for the rest of the process and takes its descriptor through every check that
/// must pass before a C++ object may cross: file readable, whole, has the symbol, can be linked,
/// magic and size, ABI, toolchain, layout, and a well-formed table of offers.
///
/// @throws PluginError "path: found; expected; what to do", for the first check that fails.
[[nodiscard]] const berth_plugin_descriptor& open_plugin(const std::filesystem::path& file);

/// The checks of a mapped descriptor alone, in their order. @throws PluginError as above.
void check_descriptor(const std::filesystem::path& file, const berth_plugin_descriptor& descriptor);

}  // namespace berth::internal
