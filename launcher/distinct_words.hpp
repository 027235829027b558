// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace berth::launcher {

/// @throws InputError naming the option and the first word of its list that comes again.
void check_distinct(std::string_view option, std::span<const std::string> words);

}  // namespace berth::launcher
