// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "doppler_bench/section.hpp"

namespace berth::launcher {

/// Lines over linear axes with a legend, as one <svg> element; points that are not finite are left
/// out. A chart without points says so.
[[nodiscard]] std::string svg_chart(const Chart& chart);

}  // namespace berth::launcher
