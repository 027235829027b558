// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Also read by nvcc, as C++17.
#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#define BERTH_HOST_DEVICE __host__ __device__
#else
#define BERTH_HOST_DEVICE
#endif

namespace berth::executors {

/// Nested loops over elements, outermost first.
struct LoopNest {
  static constexpr std::uint32_t kMost = 8;

  std::uint32_t depth = 0;
  std::uint32_t length[kMost] = {};
  std::uint64_t stride[3][kMost] = {};  ///< Reals: of the output, the first and second operand.
};

/// What a MapCall does at each point, to output o with operands x and y.
enum class Element : std::uint8_t {
  kCopy,
  kFill,     ///< o = shift
  kAddTo,    ///< o += x
  kMaxWith,  ///< o = max(o, x)
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kSquare,
  kRsqrt,
  kExp,
  kRelu,
  kSilu,
  kAffine,           ///< o = factor x + shift
  kPolar,            ///< o = (cos x, sin x)
  kComplexMultiply,  ///< o = x y, two reals each
  kRotate,           ///< o = x e^(i y), y one real
  kCausalMask,       ///< o = 0 where column <= row, else shift
};

/// One function at every point of a loop nest. Points are independent of each other.
struct MapCall {
  Element element = Element::kCopy;
  LoopNest nest;
  std::uint64_t points = 1;
  float* out = nullptr;
  const float* x = nullptr;
  const float* y = nullptr;
  float factor = 1.0F;
  float shift = 0.0F;
  std::uint32_t first_row = 0;  ///< Of kCausalMask.
  std::uint32_t first_column = 0;
  std::uint32_t columns = 1;
};

/// Sum or maximum over `reduced` at every point of `nest`.
struct ReduceCall {
  bool is_sum = true;
  LoopNest nest;
  LoopNest reduced;
  std::uint64_t points = 1;
  std::uint64_t reduced_points = 1;
  float* out = nullptr;
  const float* x = nullptr;
};

/// `batch` row-major matrix products C = A B, or C += A B.
struct ProductCall {
  std::uint32_t m = 1;
  std::uint32_t n = 1;
  std::uint32_t k = 1;
  std::uint64_t lda = 1;
  std::uint64_t ldb = 1;
  std::uint64_t ldc = 1;
  bool a_transposed = false;
  bool b_transposed = false;
  bool accumulate = false;
  std::uint32_t batch = 1;
  std::uint64_t stride_a = 0;  ///< Reals between neighbours in the batch.
  std::uint64_t stride_b = 0;
  std::uint64_t stride_c = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
};

/// Stands for an op of which only the duration is known.
struct SpinCall {
  double seconds = 0.0;
  float* out = nullptr;  ///< Its first real becomes `value`.
  float value = 0.0F;
};

/// Offsets of one point of a nest.
struct Offsets {
  std::uint64_t out = 0;
  std::uint64_t x = 0;
  std::uint64_t y = 0;
};

template <class Index>
BERTH_HOST_DEVICE inline Offsets offsets_by(const LoopNest& nest, Index point) {
  Offsets at;
  for (std::uint32_t loop = nest.depth; loop-- > 0;) {
    const Index rest = point / nest.length[loop];
    const std::uint64_t i = point - rest * nest.length[loop];
    at.out += i * nest.stride[0][loop];
    at.x += i * nest.stride[1][loop];
    at.y += i * nest.stride[2][loop];
    point = rest;
  }
  return at;
}

BERTH_HOST_DEVICE inline Offsets offsets_of(const LoopNest& nest, std::uint64_t point) {
  // A device divides 32 bits several times as fast as 64.
  return point >> 32U == 0 ? offsets_by(nest, static_cast<std::uint32_t>(point))
                           : offsets_by(nest, point);
}

BERTH_HOST_DEVICE inline float greater_of(float a, float b) {
  return a < b ? b : a;
}

/// Does a MapCall's work at one point.
BERTH_HOST_DEVICE inline void map_point(const MapCall& call, std::uint64_t point) {
  const Offsets at = offsets_of(call.nest, point);
  float* const out = call.out + at.out;
  const float* const x = call.x + at.x;
  const float* const y = call.y + at.y;
  switch (call.element) {
    case Element::kCopy:
      *out = *x;
      return;
    case Element::kFill:
      *out = call.shift;
      return;
    case Element::kAddTo:
      *out += *x;
      return;
    case Element::kMaxWith:
      *out = greater_of(*out, *x);
      return;
    case Element::kAdd:
      *out = *x + *y;
      return;
    case Element::kSubtract:
      *out = *x - *y;
      return;
    case Element::kMultiply:
      *out = *x * *y;
      return;
    case Element::kDivide:
      *out = *x / *y;
      return;
    case Element::kSquare:
      *out = *x * *x;
      return;
    case Element::kRsqrt:
      *out = 1.0F / sqrtf(*x);
      return;
    case Element::kExp:
      *out = expf(*x);
      return;
    case Element::kRelu:
      *out = greater_of(*x, 0.0F);
      return;
    case Element::kSilu:
      *out = *x / (1.0F + expf(-*x));
      return;
    case Element::kAffine:
      *out = call.factor * *x + call.shift;
      return;
    case Element::kPolar:
      out[0] = cosf(*x);
      out[1] = sinf(*x);
      return;
    case Element::kComplexMultiply:
    case Element::kRotate: {
      const bool angle = call.element == Element::kRotate;
      const float re = angle ? cosf(*y) : y[0];
      const float im = angle ? sinf(*y) : y[1];
      const float left = x[0];
      const float right = x[1];
      out[0] = left * re - right * im;
      out[1] = left * im + right * re;
      return;
    }
    case Element::kCausalMask: {
      const std::uint64_t row = point / call.columns;
      const std::uint64_t column = point - row * call.columns;
      *out = call.first_column + column <= call.first_row + row ? 0.0F : call.shift;
      return;
    }
  }
}

/// The part of a ReduceCall at `point` that one of `lanes` workers does.
BERTH_HOST_DEVICE inline float reduce_lane(const ReduceCall& call,
                                           std::uint64_t point,
                                           std::uint32_t lane,
                                           std::uint32_t lanes) {
  const float* const x = call.x + offsets_of(call.nest, point).x;
  float result = call.is_sum ? 0.0F : -INFINITY;
  for (std::uint64_t i = lane; i < call.reduced_points; i += lanes) {
    const float value = x[offsets_of(call.reduced, i).x];
    result = call.is_sum ? result + value : greater_of(result, value);
  }
  return result;
}

}  // namespace berth::executors
