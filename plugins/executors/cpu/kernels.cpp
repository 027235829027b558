// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "blas.hpp"

namespace berth::executors {
namespace {

/// Walks all but the innermost loop and calls inner(out, x, y) with offsets in reals.
template <class Inner>
void walk(std::span<const Loop> outer,
          std::uint64_t out,
          std::uint64_t x,
          std::uint64_t y,
          const Inner& inner) {
  if (outer.empty()) {
    inner(out, x, y);
    return;
  }
  const Loop& loop = outer.front();
  for (std::uint32_t i = 0; i < loop.length; ++i) {
    walk(outer.subspan(1), out, x, y, inner);
    out += loop.stride[0];
    x += loop.stride[1];
    y += loop.stride[2];
  }
}

const Loop kOnce{1, {1, 1, 1}};

std::span<const Loop> outer_of(const std::vector<Loop>& loops) {
  return loops.empty() ? std::span<const Loop>() : std::span(loops).first(loops.size() - 1);
}
const Loop& inner_of(const std::vector<Loop>& loops) {
  return loops.empty() ? kOnce : loops.back();
}

template <class Function>
void map_one(const OpShape& shape, const float* x, float* out, const Function& function) {
  const Loop& inner = inner_of(shape.loops);
  walk(outer_of(shape.loops), 0, 0, 0, [&](std::uint64_t o, std::uint64_t a, std::uint64_t) {
    float* const to = out + o;
    const float* const from = x + a;
    if (inner.stride[0] == 1 && inner.stride[1] == 1) {
      for (std::uint32_t i = 0; i < inner.length; ++i) {
        to[i] = function(from[i]);
      }
      return;
    }
    for (std::uint32_t i = 0; i < inner.length; ++i) {
      to[i * inner.stride[0]] = function(from[i * inner.stride[1]]);
    }
  });
}

template <class Function>
void map_two(
    const OpShape& shape, const float* x, const float* y, float* out, const Function& function) {
  const Loop& inner = inner_of(shape.loops);
  walk(outer_of(shape.loops), 0, 0, 0, [&](std::uint64_t o, std::uint64_t a, std::uint64_t b) {
    float* const to = out + o;
    const float* const left = x + a;
    const float* const right = y + b;
    const bool plain = inner.stride[0] == 1 && inner.stride[1] == 1;
    if (plain && inner.stride[2] == 1) {
      for (std::uint32_t i = 0; i < inner.length; ++i) {
        to[i] = function(left[i], right[i]);
      }
    } else if (plain && inner.stride[2] == 0) {
      const float scalar = *right;
      for (std::uint32_t i = 0; i < inner.length; ++i) {
        to[i] = function(left[i], scalar);
      }
    } else {
      for (std::uint32_t i = 0; i < inner.length; ++i) {
        to[i * inner.stride[0]] = function(left[i * inner.stride[1]], right[i * inner.stride[2]]);
      }
    }
  });
}

template <class Join>
void reduce(const OpShape& shape, const float* x, float* out, float neutral, const Join& join) {
  const Loop& inner = inner_of(shape.reduced);
  const auto point = [&](std::uint64_t o, std::uint64_t a, std::uint64_t) {
    float result = neutral;
    walk(outer_of(shape.reduced), 0, a, 0, [&](std::uint64_t, std::uint64_t b, std::uint64_t) {
      constexpr std::size_t kLanes = 16;
      float lanes[kLanes];
      std::fill(lanes, lanes + kLanes, neutral);
      const float* const from = x + b;
      std::uint32_t i = 0;
      if (inner.stride[1] == 1) {
        for (; i + kLanes <= inner.length; i += kLanes) {
          for (std::size_t l = 0; l < kLanes; ++l) {
            lanes[l] = join(lanes[l], from[i + l]);
          }
        }
      }
      for (; i < inner.length; ++i) {
        lanes[0] = join(lanes[0], from[i * inner.stride[1]]);
      }
      for (const float lane : lanes) {
        result = join(result, lane);
      }
    });
    out[o] = result;
  };
  walk(shape.loops, 0, 0, 0, point);
}

/// Applies to(out, in) to a piece's rectangle.
template <class To>
void each_real(const Piece& piece, const float* block, float* target, const To& to) {
  const float* const from = block + piece.from;
  float* const out = target + piece.to;
  std::size_t outer = piece.axes.size();
  std::uint64_t run = 1;  // reals that follow each other on both sides
  while (outer > 0 && piece.axes[outer - 1].from == run && piece.axes[outer - 1].to == run) {
    run *= piece.axes[--outer].length;
  }
  const auto step =
      [&](const auto& self, std::size_t axis, std::uint64_t f, std::uint64_t t) -> void {
    if (axis == outer) {
      to(out + t, from + f, run);
      return;
    }
    for (std::uint32_t i = 0; i < piece.axes[axis].length; ++i) {
      self(self, axis + 1, f + i * piece.axes[axis].from, t + i * piece.axes[axis].to);
    }
  };
  step(step, 0, 0, 0);
}

void copy_piece(const Piece& piece, const float* block, float* target) {
  each_real(piece, block, target, [](float* out, const float* in, std::uint64_t reals) {
    std::memcpy(out, in, reals * sizeof(float));
  });
}

void join_partials(const OpShape& shape, const OpData& data) {
  const bool sum = shape.function == Function::kAddPartials;
  const std::vector<Piece>& pieces = shape.operands[0].pieces;
  std::uint64_t first = 1;
  for (const Piece::Axis& axis : pieces[0].axes) {
    first *= axis.length;
  }
  std::size_t begin = 0;
  if (first == shape.output_reals) {
    copy_piece(pieces[0], data.sources[0], data.output);
    begin = 1;
  } else {
    std::fill(data.output,
              data.output + shape.output_reals,
              sum ? 0.0F : -std::numeric_limits<float>::infinity());
  }
  for (std::size_t p = begin; p < pieces.size(); ++p) {
    each_real(pieces[p],
              data.sources[p],
              data.output,
              [sum](float* out, const float* in, std::uint64_t reals) {
                if (sum) {
                  for (std::uint64_t i = 0; i < reals; ++i) {
                    out[i] += in[i];
                  }
                } else {
                  for (std::uint64_t i = 0; i < reals; ++i) {
                    out[i] = std::max(out[i], in[i]);
                  }
                }
              });
  }
}

void contract(const OpShape& shape, const float* x, const float* y, float* out) {
  const MatrixProduct& p = shape.product;
  const MatrixShape matrices{p.m, p.n, p.k, p.lda, p.ldb, p.ldc, p.a_transposed, p.b_transposed};
  const auto product = [&](std::uint64_t o, std::uint64_t a, std::uint64_t b) {
    bool accumulate = false;
    walk(shape.reduced, 0, a, b, [&](std::uint64_t, std::uint64_t first, std::uint64_t second) {
      multiply_matrices(matrices,
                        p.swapped ? y + second : x + first,
                        p.swapped ? x + first : y + second,
                        out + o,
                        accumulate);
      accumulate = true;
    });
  };
  walk(shape.loops, 0, 0, 0, product);
}

void complex_multiply(const OpShape& shape, const float* x, const float* y, float* out) {
  walk(shape.loops, 0, 0, 0, [&](std::uint64_t o, std::uint64_t a, std::uint64_t b) {
    const float re = shape.second_is_angle ? std::cos(y[b]) : y[b];
    const float im = shape.second_is_angle ? std::sin(y[b]) : y[b + 1];
    const float left = x[a];
    const float right = x[a + 1];
    out[o] = left * re - right * im;
    out[o + 1] = left * im + right * re;
  });
}

void causal_mask(const OpShape& shape, float* out) {
  // Loops may be fused or dropped: rows are counted from the size instead.
  const std::uint32_t columns = shape.columns;
  const std::uint64_t rows = shape.output_reals / columns;
  for (std::uint64_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      out[r * columns + c] = shape.first_column + c <= shape.first_row + r ? 0.0F : shape.shift;
    }
  }
}

}  // namespace

void run_kernel(const OpShape& shape, const OpData& data, float* workspace) noexcept {
  const float* operand[2] = {nullptr, nullptr};
  std::size_t source = 0;
  if (shape.function == Function::kAddPartials || shape.function == Function::kMaxPartials) {
    join_partials(shape, data);
    return;
  }
  if (shape.keeps_positions) {
    for (std::size_t p = 0; p < shape.operands[0].pieces.size(); ++p) {
      copy_piece(shape.operands[0].pieces[p], data.sources[p], data.output);
    }
    return;
  }
  for (std::size_t i = 0; i < shape.operands.size(); ++i) {
    const OperandShape& from = shape.operands[i];
    if (from.gathered) {
      for (const Piece& piece : from.pieces) {
        copy_piece(piece, data.sources[source++], workspace);
      }
      operand[i] = workspace;
      workspace += from.reals;
    } else {
      // Read in place: the piece says where in the block it begins.
      operand[i] = data.sources[source++] + (from.pieces.empty() ? 0 : from.pieces[0].from);
    }
  }
  const float* const x = operand[0];
  const float* const y = operand[1];
  float* const out = data.output;
  const float factor = shape.factor;
  const float shift = shape.shift;
  switch (shape.function) {
    case Function::kContract:
      return contract(shape, x, y, out);
    case Function::kSum:
      return reduce(shape, x, out, 0.0F, [](float a, float b) { return a + b; });
    case Function::kMax:
      return reduce(shape, x, out, -std::numeric_limits<float>::infinity(), [](float a, float b) {
        return std::max(a, b);
      });
    case Function::kCopy:
      return map_one(shape, x, out, [](float a) { return a; });
    case Function::kAdd:
      return map_two(shape, x, y, out, [](float a, float b) { return a + b; });
    case Function::kSubtract:
      return map_two(shape, x, y, out, [](float a, float b) { return a - b; });
    case Function::kMultiply:
      return map_two(shape, x, y, out, [](float a, float b) { return a * b; });
    case Function::kDivide:
      return map_two(shape, x, y, out, [](float a, float b) { return a / b; });
    case Function::kSquare:
      return map_one(shape, x, out, [](float a) { return a * a; });
    case Function::kRsqrt:
      return map_one(shape, x, out, [](float a) { return 1.0F / std::sqrt(a); });
    case Function::kExp:
      return map_one(shape, x, out, [](float a) { return std::exp(a); });
    case Function::kRelu:
      return map_one(shape, x, out, [](float a) { return std::max(a, 0.0F); });
    case Function::kSilu:
      return map_one(shape, x, out, [](float a) { return a / (1.0F + std::exp(-a)); });
    case Function::kAffine:
      return map_one(shape, x, out, [=](float a) { return factor * a + shift; });
    case Function::kPolar:
      return walk(shape.loops, 0, 0, 0, [&](std::uint64_t o, std::uint64_t a, std::uint64_t) {
        out[o] = std::cos(x[a]);
        out[o + 1] = std::sin(x[a]);
      });
    case Function::kComplexMultiply:
      return complex_multiply(shape, x, y, out);
    case Function::kCausalMask:
      return causal_mask(shape, out);
    case Function::kEmulated:
    case Function::kAddPartials:
    case Function::kMaxPartials:
      return;
  }
}

}  // namespace berth::executors
