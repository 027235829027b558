// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// One double with a dimension. Only meaningful operators exist.
template <class Dimension>
struct Quantity {
  double value = 0.0;

  auto operator<=>(const Quantity&) const = default;
  [[nodiscard]] friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return {a.value + b.value};
  }
  [[nodiscard]] friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return {a.value - b.value};
  }
  [[nodiscard]] friend constexpr Quantity operator*(double factor, Quantity q) {
    return {factor * q.value};
  }
  [[nodiscard]] friend constexpr double operator/(Quantity a, Quantity b) {
    return a.value / b.value;
  }
};

struct TimeDimension;
struct SizeDimension;
struct WorkDimension;
struct BandwidthDimension;
struct RateDimension;

using Seconds = Quantity<TimeDimension>;
using Bytes = Quantity<SizeDimension>;
using Flops = Quantity<WorkDimension>;  ///< Floating-point operations, not per second.
using BytesPerSecond = Quantity<BandwidthDimension>;
using FlopsPerSecond = Quantity<RateDimension>;

[[nodiscard]] constexpr Seconds operator/(Bytes size, BytesPerSecond bandwidth) {
  return {size.value / bandwidth.value};
}
[[nodiscard]] constexpr Seconds operator/(Flops work, FlopsPerSecond rate) {
  return {work.value / rate.value};
}

/// Parsers of quantities in text: a number, optional space, and a unit that is never optional.
/// Seconds: s ms us ns min h. Bytes: B kB MB GB TB (powers of 1000), KiB MiB GiB TiB (1024).
/// Bandwidth: a byte unit followed by /s or ps ("12GB/s", "12GBps"), or bit units ("400Gbit/s").
/// Rates: FLOPS, GFLOPS, TFLOPS, PFLOPS ("9.3TFLOPS").
///
/// @throws InputError naming the text, what is wrong with it and an example; negative, NaN and
///         infinite values are refused.
[[nodiscard]] BERTH_API Seconds parse_seconds(std::string_view text);
[[nodiscard]] BERTH_API Bytes parse_bytes(std::string_view text);
[[nodiscard]] BERTH_API BytesPerSecond parse_bandwidth(std::string_view text);
[[nodiscard]] BERTH_API FlopsPerSecond parse_rate(std::string_view text);

/// Short text for people, three significant digits: "1.2 ms", "12 GB/s".
[[nodiscard]] BERTH_API std::string format(Seconds value);
[[nodiscard]] BERTH_API std::string format(Bytes value);
[[nodiscard]] BERTH_API std::string format(BytesPerSecond value);
[[nodiscard]] BERTH_API std::string format(FlopsPerSecond value);

}  // namespace abi_v1
}  // namespace berth
