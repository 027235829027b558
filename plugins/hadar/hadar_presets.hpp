// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "hadar_scheduler.hpp"

namespace berth::hadar {

/// The settings behind a name of the option "preset": jct, ttd, paper_jct or paper_ttd.
[[nodiscard]] HadarOptions preset(std::string_view name);

}  // namespace berth::hadar
