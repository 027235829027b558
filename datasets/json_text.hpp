// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "source_text.hpp"

namespace berth::datasets {

/// Appends `text` as a JSON string; bytes that are no UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// Whether the bytes are UTF-8, and so survive JSON unchanged.
[[nodiscard]] bool is_utf8(std::string_view text);

/// "place:line: ..." for byte `position` of a text that is not JSON. @throws InputError always.
[[noreturn]] void fail_json(const SourceText& source, std::size_t position, std::string_view what);

}  // namespace berth::datasets
