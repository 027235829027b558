// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "berth/export.hpp"
#include "berth/ids.hpp"

namespace berth {
inline namespace abi_v1 {

/// Elements begin <= i < end along one axis of a tensor.
struct AxisRange {
  char axis = 'a';  ///< A lower-case letter.
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] std::uint32_t length() const noexcept { return end - begin; }
  bool operator==(const AxisRange&) const = default;
};

/// One tensor that an op reads. Along an axis over which the op iterates it reads the op's own
/// range, along any other axis everything.
struct KernelOperand {
  static constexpr std::uint32_t kNoInput = std::numeric_limits<std::uint32_t>::max();

  /// One letter an axis, row-major; a capital letter stands for the last element along that axis
  /// alone, which the operand then lacks.
  std::string axes;
  std::uint32_t input = kNoInput;  ///< Number of a graph input, which lies on every device.
  double amplitude = 1.0;          ///< Graph inputs: their values lie in (-amplitude, amplitude).
  std::vector<OpId> producers;     ///< Ops whose blocks make up the operand; none for an input.

  bool operator==(const KernelOperand&) const = default;
};

/// What an op computes: one block of one tensor, float32, row-major. Real executors run it;
/// nothing else depends on it. `scalars` reals make an element (2 for complex numbers).
///
/// Functions, x and y being the first operand and the second (broadcast over axes it lacks):
/// contract (sum of x y over `reduced`), sum and max (of x over `reduced`), add-partials and
/// max-partials (over the producers), copy, add, subtract, multiply, divide, square, rsqrt, exp,
/// relu, silu, affine (factor x + shift), polar (cos x, sin x), complex-multiply (y of one real an
/// element is an angle), causal-mask (0 where the second axis' index is at most the first's, else
/// shift; no operand).
struct OpKernel {
  std::string function;
  std::vector<AxisRange> output;   ///< Row-major.
  std::vector<AxisRange> reduced;  ///< Axes iterated over besides those of the output.
  std::uint32_t scalars = 1;
  double factor = 1.0;
  double shift = 0.0;
  std::vector<KernelOperand> operands;

  bool operator==(const OpKernel&) const = default;
  /// Reals in the output.
  [[nodiscard]] BERTH_API std::uint64_t output_reals() const noexcept;
};

/// One line: "contract k0:500 j0:500 / l0:250 ; kl#0*0.05 ; lj@7,8". parse_op_kernel() takes it
/// back exactly.
[[nodiscard]] BERTH_API std::string to_text(const OpKernel& kernel);

/// @throws InputError naming the word that is wrong and what was expected: an unknown function,
///         an empty range, an axis given twice, a number of operands that the function has not.
[[nodiscard]] BERTH_API OpKernel parse_op_kernel(std::string_view text);

}  // namespace abi_v1
}  // namespace berth
