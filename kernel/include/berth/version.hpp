// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace berth {
inline namespace abi_v1 {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace abi_v1
}  // namespace berth
