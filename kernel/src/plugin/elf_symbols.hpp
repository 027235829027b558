// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string_view>

namespace berth::internal {

/// Whether a shared library exports `symbol`, read from the file without mapping it: the dynamic
/// linker trusts a file's headers and dies of SIGBUS on a truncated one.
///
/// @throws PluginError if the file cannot be read, is no shared library, or is truncated.
[[nodiscard]] bool exports_symbol(const std::filesystem::path& file, std::string_view symbol);

}  // namespace berth::internal
