// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace berth::internal {

enum class NoiseOn : std::uint64_t { kCompute = 1, kTransfer = 2 };

/// Log-normal factor of mean 1 whose logarithm has standard deviation `sigma`; a function of its
/// arguments alone. Rounded to float, so that a factor of 1 and a scaled latency stay cheap.
[[nodiscard]] float noise_factor(double sigma,
                                 std::uint64_t seed,
                                 NoiseOn on,
                                 std::uint64_t id) noexcept;

}  // namespace berth::internal
