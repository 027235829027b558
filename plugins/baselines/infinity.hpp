// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <limits>

namespace berth::baselines {

/// The time of what cannot be.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace berth::baselines
