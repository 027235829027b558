// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "kernel_program.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "berth/error.hpp"

namespace berth::executors {
namespace {

std::uint64_t points_of(const LoopNest& nest) {
  std::uint64_t points = 1;
  for (std::uint32_t loop = 0; loop < nest.depth; ++loop) {
    points *= nest.length[loop];
  }
  return points;
}

void add_loop(LoopNest& nest, const Loop& loop) {
  if (nest.depth == LoopNest::kMost) {
    throw InputError("kernel: more than " + std::to_string(LoopNest::kMost) +
                     " nested loops; expected at most that many to run it on a device");
  }
  nest.length[nest.depth] = loop.length;
  for (std::size_t tensor = 0; tensor < 3; ++tensor) {
    nest.stride[tensor][nest.depth] = loop.stride[tensor];
  }
  ++nest.depth;
}

LoopNest nest_of(const std::vector<Loop>& loops) {
  LoopNest nest;
  for (const Loop& loop : loops) {
    add_loop(nest, loop);
  }
  return nest;
}

/// The rectangle of a piece, as loops from its block to its target.
LoopNest nest_of(const Piece& piece) {
  LoopNest nest;
  for (const Piece::Axis& axis : piece.axes) {
    const bool joins = nest.depth > 0 &&
                       nest.stride[1][nest.depth - 1] == axis.from * axis.length &&
                       nest.stride[0][nest.depth - 1] == axis.to * axis.length;
    if (joins) {
      nest.length[nest.depth - 1] *= axis.length;
      nest.stride[1][nest.depth - 1] = axis.from;
      nest.stride[0][nest.depth - 1] = axis.to;
    } else if (axis.length > 1) {
      add_loop(nest, {axis.length, {axis.to, axis.from, 0}});
    }
  }
  return nest;
}

MapCall piece_call(Element element, const Piece& piece, const float* block, float* target) {
  MapCall call;
  call.element = element;
  call.nest = nest_of(piece);
  call.points = points_of(call.nest);
  call.out = target + piece.to;
  call.x = block + piece.from;
  call.y = call.x;
  return call;
}

void join_partials(const OpShape& shape, const OpData& data, std::vector<KernelCall>& calls) {
  const bool is_sum = shape.function == Function::kAddPartials;
  const std::vector<Piece>& pieces = shape.operands[0].pieces;
  std::size_t begin = 0;
  if (points_of(nest_of(pieces[0])) == shape.output_reals) {
    calls.emplace_back(piece_call(Element::kCopy, pieces[0], data.sources[0], data.output));
    begin = 1;
  } else {
    MapCall fill;
    fill.element = Element::kFill;
    fill.points = shape.output_reals;
    add_loop(fill.nest, {static_cast<std::uint32_t>(shape.output_reals), {1, 0, 0}});
    fill.out = data.output;
    fill.x = fill.y = data.output;
    fill.shift = is_sum ? 0.0F : -std::numeric_limits<float>::infinity();
    calls.emplace_back(fill);
  }
  for (std::size_t p = begin; p < pieces.size(); ++p) {
    calls.emplace_back(piece_call(
        is_sum ? Element::kAddTo : Element::kMaxWith, pieces[p], data.sources[p], data.output));
  }
}

/// Calls at(out, x, y) with the offsets of every point.
template <class At>
void each_point(const LoopNest& nest, const At& at) {
  const std::uint64_t points = points_of(nest);
  for (std::uint64_t point = 0; point < points; ++point) {
    at(offsets_of(nest, point));
  }
}

void contract(const OpShape& shape,
              const float* x,
              const float* y,
              float* out,
              std::vector<KernelCall>& calls) {
  const MatrixProduct& p = shape.product;
  ProductCall call;
  call.m = p.m;
  call.n = p.n;
  call.k = p.k;
  call.lda = p.lda;
  call.ldb = p.ldb;
  call.ldc = p.ldc;
  call.a_transposed = p.a_transposed;
  call.b_transposed = p.b_transposed;
  std::vector<Loop> outer = shape.loops;
  if (!outer.empty()) {  // the longest loop is the batch
    const auto longest = std::ranges::max_element(outer, {}, &Loop::length);
    call.batch = longest->length;
    call.stride_c = longest->stride[0];
    call.stride_a = longest->stride[p.swapped ? 2 : 1];
    call.stride_b = longest->stride[p.swapped ? 1 : 2];
    outer.erase(longest);
  }
  each_point(nest_of(outer), [&](const Offsets& at) {
    call.accumulate = false;
    each_point(nest_of(shape.reduced), [&](const Offsets& inner) {
      const float* const first = x + at.x + inner.x;
      const float* const second = y + at.y + inner.y;
      call.a = p.swapped ? second : first;
      call.b = p.swapped ? first : second;
      call.c = out + at.out;
      calls.emplace_back(call);
      call.accumulate = true;
    });
  });
}

Element element_of(const OpShape& shape) {
  switch (shape.function) {
    case Function::kCopy:
      return Element::kCopy;
    case Function::kAdd:
      return Element::kAdd;
    case Function::kSubtract:
      return Element::kSubtract;
    case Function::kMultiply:
      return Element::kMultiply;
    case Function::kDivide:
      return Element::kDivide;
    case Function::kSquare:
      return Element::kSquare;
    case Function::kRsqrt:
      return Element::kRsqrt;
    case Function::kExp:
      return Element::kExp;
    case Function::kRelu:
      return Element::kRelu;
    case Function::kSilu:
      return Element::kSilu;
    case Function::kAffine:
      return Element::kAffine;
    case Function::kPolar:
      return Element::kPolar;
    case Function::kComplexMultiply:
      return shape.second_is_angle ? Element::kRotate : Element::kComplexMultiply;
    case Function::kCausalMask:
      return Element::kCausalMask;
    case Function::kEmulated:
    case Function::kContract:
    case Function::kSum:
    case Function::kMax:
    case Function::kAddPartials:
    case Function::kMaxPartials:
      break;
  }
  throw InternalError("executor: a function that maps no elements");
}

MapCall map_call(const OpShape& shape, const float* x, const float* y, float* out) {
  MapCall call;
  call.element = element_of(shape);
  call.nest = nest_of(shape.loops);
  if (call.element == Element::kCausalMask) {  // rows are counted from the size: loops may be fused
    call.nest = {};
    add_loop(call.nest, {static_cast<std::uint32_t>(shape.output_reals), {1, 0, 0}});
    x = y = out;
  }
  call.points = points_of(call.nest);
  call.out = out;
  call.x = x;
  call.y = y == nullptr ? x : y;
  call.factor = shape.factor;
  call.shift = shape.shift;
  call.first_row = shape.first_row;
  call.first_column = shape.first_column;
  call.columns = shape.columns;
  return call;
}

ReduceCall reduce_call(const OpShape& shape, const float* x, float* out) {
  ReduceCall call;
  call.is_sum = shape.function == Function::kSum;
  call.nest = nest_of(shape.loops);
  call.reduced = nest_of(shape.reduced);
  call.points = points_of(call.nest);
  call.reduced_points = points_of(call.reduced);
  call.out = out;
  call.x = x;
  return call;
}

}  // namespace

void append_calls(const OpShape& shape,
                  const OpData& data,
                  float* workspace,
                  std::vector<KernelCall>& calls) {
  if (is_partials(shape.function)) {
    return join_partials(shape, data, calls);
  }
  if (shape.keeps_positions) {
    for (std::size_t p = 0; p < shape.operands[0].pieces.size(); ++p) {
      calls.emplace_back(
          piece_call(Element::kCopy, shape.operands[0].pieces[p], data.sources[p], data.output));
    }
    return;
  }
  const float* operand[2] = {nullptr, nullptr};
  std::size_t source = 0;
  for (std::size_t i = 0; i < shape.operands.size(); ++i) {
    const OperandShape& from = shape.operands[i];
    if (from.gathered) {
      for (const Piece& piece : from.pieces) {
        calls.emplace_back(piece_call(Element::kCopy, piece, data.sources[source++], workspace));
      }
      operand[i] = workspace;
      workspace += from.reals;
    } else {
      operand[i] = data.sources[source++] + (from.pieces.empty() ? 0 : from.pieces[0].from);
    }
  }
  switch (shape.function) {
    case Function::kContract:
      return contract(shape, operand[0], operand[1], data.output, calls);
    case Function::kSum:
    case Function::kMax:
      calls.emplace_back(reduce_call(shape, operand[0], data.output));
      return;
    default:
      calls.emplace_back(map_call(shape, operand[0], operand[1], data.output));
  }
}

}  // namespace berth::executors
