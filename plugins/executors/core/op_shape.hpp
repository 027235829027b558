// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/graph.hpp"
#include "berth/op_kernel.hpp"

#include "op_function.hpp"

namespace berth::executors {

/// One loop over elements: `stride[i]` reals between neighbours in operand i.
struct Loop {
  std::uint32_t length = 1;
  std::uint64_t stride[3] = {0, 0, 0};  ///< Output, first operand, second operand.
};

/// A rectangle of an op's operand that one producer made.
struct Piece {
  struct Axis {
    std::uint32_t length = 1;
    std::uint64_t from = 0;  ///< Stride in the producer's block, reals.
    std::uint64_t to = 0;    ///< Stride in the gathered operand, or in the output, reals.
  };
  std::uint32_t producer = 0;
  std::uint64_t from = 0;  ///< First real in the producer's block.
  std::uint64_t to = 0;    ///< First real in the gathered operand, or in the output.
  std::vector<Axis> axes;  ///< Outermost first; the last is contiguous on both sides, if any.
};

/// How an op gets at one of its operands.
struct OperandShape {
  std::uint32_t input_region = KernelOperand::kNoInput;  ///< Number in OpShapes::inputs.
  bool gathered = false;  ///< Pieces go to a workspace before the op's loops.
  std::vector<Piece> pieces;
  std::uint64_t reals = 0;  ///< Of the gathered operand.
};

/// Matrix product C += A B within the outer loops of a contraction; row-major with strides.
struct MatrixProduct {
  std::uint32_t m = 1;
  std::uint32_t n = 1;
  std::uint32_t k = 1;
  std::uint64_t lda = 1;  ///< Between rows of A as stored.
  std::uint64_t ldb = 1;
  std::uint64_t ldc = 1;
  bool a_transposed = false;  ///< A is stored k x m.
  bool b_transposed = false;  ///< B is stored n x k.
  bool swapped = false;       ///< A is the second operand, B the first.
};

/// An op's kernel with every offset and stride resolved; independent of the placement.
struct OpShape {
  Function function = Function::kEmulated;
  std::uint64_t output_reals = 0;
  std::uint32_t scalars = 1;
  float factor = 1.0F;
  float shift = 0.0F;
  bool second_is_angle = false;  ///< Of kComplexMultiply.
  bool keeps_positions = false;  ///< Of kCopy: pieces go straight to the output.
  std::uint32_t first_row = 0;   ///< Of kCausalMask: global indices of the block's corner.
  std::uint32_t first_column = 0;
  std::uint32_t columns = 1;
  std::vector<OperandShape> operands;
  std::vector<Loop> loops;    ///< Over the output; of a contraction, around its product.
  std::vector<Loop> reduced;  ///< Inside; of a contraction, around its product, accumulating.
  MatrixProduct product;
  std::uint64_t workspace_reals = 0;  ///< Of gathered operands, one after the other.
};

/// A block of a graph input that some op reads; lies on a device before a run.
struct InputRegion {
  std::uint32_t input = 0;
  double amplitude = 1.0;
  std::vector<AxisRange> block;  ///< Axis letters do not count.
  [[nodiscard]] std::uint64_t reals() const noexcept;
};

/// Shapes of all ops of a graph.
struct OpShapes {
  std::vector<OpShape> ops;
  std::vector<InputRegion> inputs;
};

/// @throws InputError naming the op: a producer that is not among its predecessors, blocks that do
///         not make up an operand, an axis read of a graph input that the op does not iterate over.
[[nodiscard]] OpShapes make_op_shapes(const Graph& graph);

}  // namespace berth::executors
