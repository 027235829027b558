// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "op_function.hpp"

#include <algorithm>
#include <array>

#include "berth/error.hpp"
#include "berth/rng.hpp"

namespace berth::executors {
namespace {

constexpr std::array<std::string_view, 20> kNames = {
    "",     "contract", "sum",      "max",    "add-partials",     "max-partials", "copy",
    "add",  "subtract", "multiply", "divide", "square",           "rsqrt",        "exp",
    "relu", "silu",     "affine",   "polar",  "complex-multiply", "causal-mask"};

}  // namespace

Function function_of(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  BERTH_CHECK(found != kNames.end(), "a function that parse_op_kernel() knows");
  return static_cast<Function>(found - kNames.begin());
}

bool is_partials(Function function) noexcept {
  return function == Function::kAddPartials || function == Function::kMaxPartials;
}

float input_value(std::uint32_t input,
                  double amplitude,
                  const std::vector<std::uint32_t>& position) noexcept {
  std::uint64_t word = input + 1;
  for (const std::uint32_t at : position) {
    word = word * 0x9e3779b97f4a7c15ULL + at;
  }
  const double unit = static_cast<double>(mix64(word) >> 11U) * 0x1p-53;  // 0 .. 1
  return static_cast<float>(amplitude * (2.0 * unit - 1.0));
}

}  // namespace berth::executors
