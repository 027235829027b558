// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "core/kernel_program.hpp"

#include <gtest/gtest.h>

#include "error_text.hpp"

namespace berth::executors {
namespace {

/// The calls of the last op of a graph of kernels, each reading the one before it if it reads any.
std::vector<KernelCall> calls_of(const std::vector<std::string>& kernels,
                                 const std::vector<const float*>& sources,
                                 float* output,
                                 float* workspace = nullptr) {
  GraphBuilder builder("kernels");
  builder.cost_basis(CostBasis::kPhysical);
  for (const std::string& kernel : kernels) {
    OpSpec op;
    op.kernel = kernel;
    builder.add_op(std::move(op));
  }
  const auto last = static_cast<unsigned>(kernels.size() - 1);
  for (unsigned v = 0; v < last; ++v) {
    builder.add_edge(to_id<OpId>(v), to_id<OpId>(last), 0.0);
  }
  const OpShapes shapes = make_op_shapes(builder.freeze());
  std::vector<KernelCall> calls;
  append_calls(shapes.ops.back(), {output, sources}, workspace, calls);
  return calls;
}

TEST(KernelProgram, APlainMatrixProductIsOneCallOfItsShape) {
  float memory[64] = {};
  const auto calls =
      calls_of({"contract i0:3 j0:5 / k0:4 ; ik#0 ; kj#1"}, {memory, memory + 12}, memory + 32);
  ASSERT_EQ(calls.size(), 1U);
  const auto& product = std::get<ProductCall>(calls[0]);
  EXPECT_EQ(product.m, 3U);
  EXPECT_EQ(product.n, 5U);
  EXPECT_EQ(product.k, 4U);
  EXPECT_EQ(product.batch, 1U);
  EXPECT_FALSE(product.accumulate);
  EXPECT_EQ(product.c, memory + 32);
}

TEST(KernelProgram, ALoopAroundAProductIsItsBatchAndAReducedOneAccumulates) {
  float memory[256] = {};
  // b is a loop of all three tensors: 24 = 4 * 6 reals apart in the first.
  const auto batched =
      calls_of({"contract b0:2 i0:4 j0:5 / k0:6 ; bik#0 ; bkj#1"}, {memory, memory + 48}, memory);
  ASSERT_EQ(batched.size(), 1U);
  const auto& product = std::get<ProductCall>(batched[0]);
  EXPECT_EQ(product.batch, 2U);
  EXPECT_EQ(product.stride_a, 24U);
  EXPECT_EQ(product.stride_b, 30U);
  EXPECT_EQ(product.stride_c, 20U);
  // r is summed over besides k, in an order that no single product has: three products of which
  // the later ones add.
  const auto summed =
      calls_of({"contract i0:4 j0:5 / r0:3 k0:6 ; rik#0 ; rkj#1"}, {memory, memory + 72}, memory);
  ASSERT_EQ(summed.size(), 3U);
  EXPECT_FALSE(std::get<ProductCall>(summed[0]).accumulate);
  EXPECT_TRUE(std::get<ProductCall>(summed[1]).accumulate);
  EXPECT_TRUE(std::get<ProductCall>(summed[2]).accumulate);
}

TEST(KernelProgram, BlocksOfAnOperandAreGatheredBeforeTheOp) {
  float memory[64] = {};
  float workspace[8] = {};
  const auto calls = calls_of({"exp i0:4 ; i#0", "exp i4:8 ; i#0", "square i0:8 ; i@0,1"},
                              {memory, memory + 16},
                              memory + 32,
                              workspace);
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(std::get<MapCall>(calls[0]).out, workspace);
  EXPECT_EQ(std::get<MapCall>(calls[1]).out, workspace + 4);
  EXPECT_EQ(std::get<MapCall>(calls[1]).x, memory + 16);
  EXPECT_EQ(std::get<MapCall>(calls[2]).x, workspace);
  EXPECT_EQ(std::get<MapCall>(calls[2]).element, Element::kSquare);
}

TEST(KernelProgram, PartialResultsAreCopiedOnceAndThenAddedTo) {
  float memory[64] = {};
  const auto calls = calls_of({"exp i0:4 ; i#0", "exp i0:4 ; i#1", "add-partials i0:4 ; i@0,1"},
                              {memory, memory + 16},
                              memory + 32);
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(std::get<MapCall>(calls[0]).element, Element::kCopy);
  EXPECT_EQ(std::get<MapCall>(calls[1]).element, Element::kAddTo);
  EXPECT_EQ(std::get<MapCall>(calls[1]).points, 4U);
}

TEST(KernelProgram, AReductionKnowsItsPointsAndTheirRows) {
  float memory[64] = {};
  const auto calls = calls_of({"max i0:3 / j0:7 ; ij#0"}, {memory}, memory + 32);
  ASSERT_EQ(calls.size(), 1U);
  const auto& reduction = std::get<ReduceCall>(calls[0]);
  EXPECT_FALSE(reduction.is_sum);
  EXPECT_EQ(reduction.points, 3U);
  EXPECT_EQ(reduction.reduced_points, 7U);
  EXPECT_EQ(offsets_of(reduction.nest, 2).x, 14U);
}

TEST(KernelProgram, RefusesMoreLoopsThanAKernelTakes) {
  // Transposed neighbours cannot be joined: nine loops.
  float memory[1024] = {};
  EXPECT_NE(error_text<InputError>([&] {
              static_cast<void>(
                  calls_of({"exp a0:2 b0:2 c0:2 d0:2 e0:2 f0:2 g0:2 h0:2 i0:2 ; ihgfedcba#0"},
                           {memory},
                           memory + 512));
            }).find("more than 8 nested loops"),
            std::string::npos);
}

}  // namespace
}  // namespace berth::executors
