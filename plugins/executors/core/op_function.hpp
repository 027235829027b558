// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace berth::executors {

/// What OpKernel::function names.
enum class Function : std::uint8_t {
  kEmulated,  ///< No kernel text: a kernel of the stated work.
  kContract,
  kSum,
  kMax,
  kAddPartials,
  kMaxPartials,
  kCopy,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kSquare,
  kRsqrt,
  kExp,
  kRelu,
  kSilu,
  kAffine,
  kPolar,
  kComplexMultiply,
  kCausalMask,
};

/// @pre `name` is one that parse_op_kernel() knows.
[[nodiscard]] Function function_of(std::string_view name);

/// Whether its producers each give a part of every element.
[[nodiscard]] bool is_partials(Function function) noexcept;

/// The value of an element of a graph input: a hash of its position, in (-amplitude, amplitude).
[[nodiscard]] float input_value(std::uint32_t input,
                                double amplitude,
                                const std::vector<std::uint32_t>& position) noexcept;

}  // namespace berth::executors
