// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace berth::datasets {

/// A JSON text of at most 64 levels in which no object has a key twice.
/// @param file said in errors. @param format what was expected, e.g. "berth.jobs/1".
/// @throws InputError naming the byte, the number beyond double precision, the level or the key.
[[nodiscard]] nlohmann::json parse_strict_json(const std::string& file,
                                               const std::string& text,
                                               const std::string& format);

}  // namespace berth::datasets
