// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "core/op_shape.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "error_text.hpp"

namespace berth::executors {
namespace {

using berth::testing::error_text;

/// A physical graph of one op a kernel; an edge from every producer that a kernel names.
Graph graph_of_kernels(const std::vector<std::string>& kernels,
                       const std::vector<std::pair<unsigned, unsigned>>& edges) {
  GraphBuilder builder("kernels");
  builder.cost_basis(CostBasis::kPhysical);
  for (const std::string& kernel : kernels) {
    OpSpec op;
    op.kernel = kernel;
    builder.add_op(std::move(op));
  }
  for (const auto& [from, to] : edges) {
    builder.add_edge(to_id<OpId>(from), to_id<OpId>(to), 4.0);
  }
  return builder.freeze();
}

OpShape last_shape(const std::vector<std::string>& kernels,
                   const std::vector<std::pair<unsigned, unsigned>>& edges) {
  return make_op_shapes(graph_of_kernels(kernels, edges)).ops.back();
}

TEST(OpShape, APlainContractionIsOneProduct) {
  const OpShape shape = last_shape({"contract i0:3 j0:4 / k0:5 ; ik#0 ; kj#1"}, {});
  EXPECT_TRUE(shape.loops.empty());
  EXPECT_TRUE(shape.reduced.empty());
  EXPECT_EQ(shape.product.m, 3U);
  EXPECT_EQ(shape.product.n, 4U);
  EXPECT_EQ(shape.product.k, 5U);
  EXPECT_FALSE(shape.product.a_transposed || shape.product.b_transposed);
}

TEST(OpShape, AttentionScoresLoopOverHeadsAroundAProductWithATransposedMatrix) {
  // q[s][n][d] and k[t][n][d], contiguous graph inputs: rows are 2 * 8 = 16 reals apart.
  const OpShape shape = last_shape({"contract n0:2 s0:3 t0:5 / d0:8 ; snd#0 ; tnd#1"}, {});
  ASSERT_EQ(shape.loops.size(), 1U);
  EXPECT_EQ(shape.loops[0].length, 2U);
  EXPECT_EQ(shape.loops[0].stride[0], 15U);
  EXPECT_EQ(shape.loops[0].stride[1], 8U);
  EXPECT_EQ(shape.product.lda, 16U);
  EXPECT_EQ(shape.product.ldb, 16U);
  EXPECT_TRUE(shape.product.b_transposed);
}

TEST(OpShape, TwoReducedAxesThatCannotBeOneLoopAccumulate) {
  // x[n][s][d], w[n][d][h]: n and d are not neighbours in x.
  const OpShape shape = last_shape({"contract s0:3 h0:4 / n0:2 d0:8 ; nsd#0 ; ndh#1"}, {});
  ASSERT_EQ(shape.reduced.size(), 1U);
  EXPECT_EQ(shape.reduced[0].length, 2U);
  EXPECT_EQ(shape.product.k, 8U);
}

TEST(OpShape, BlocksOfSeveralProducersAreGatheredAndOneIsReadInPlace) {
  const std::vector<std::string> made = {"exp s0:2 h0:4 ; sh#0", "exp s2:4 h0:4 ; sh#0"};
  const OpShape both = last_shape({made[0], made[1], "exp s0:4 h0:2 ; sh@0,1"}, {{0, 2}, {1, 2}});
  ASSERT_EQ(both.operands[0].pieces.size(), 2U);
  EXPECT_TRUE(both.operands[0].gathered);
  EXPECT_EQ(both.workspace_reals, 8U);
  const OpShape one = last_shape({made[0], made[1], "exp s3:4 h2:4 ; sh@1"}, {{1, 2}});
  EXPECT_FALSE(one.operands[0].gathered);
  EXPECT_EQ(one.operands[0].pieces[0].from, 6U);  // row 1, column 2 of a 2 x 4 block
}

TEST(OpShape, ACapitalAxisReadsTheLastElement) {
  const OpShape shape = last_shape({"exp s0:3 h0:4 ; sh#0", "copy h0:4 ; Sh@0"}, {{0, 1}});
  EXPECT_EQ(shape.operands[0].pieces[0].from, 8U);
}

TEST(OpShape, RefusesKernelsThatDoNotFitTheirGraph) {
  const auto refusal = [](const std::vector<std::string>& kernels,
                          const std::vector<std::pair<unsigned, unsigned>>& edges) {
    return error_text<InputError>([&] { static_cast<void>(last_shape(kernels, edges)); });
  };
  const std::string exp = "exp s0:2 h0:4 ; sh#0";
  EXPECT_NE(refusal({exp, "exp s0:2 h0:4 ; sh@0"}, {}).find("no predecessor"), std::string::npos);
  EXPECT_NE(refusal({exp, "exp s0:4 h0:4 ; sh@0"}, {{0, 1}}).find("hold 8 reals"),
            std::string::npos);
  EXPECT_NE(refusal({exp, "exp s0:2 ; s@0"}, {{0, 1}}).find("has 1 axes"), std::string::npos);
  EXPECT_NE(refusal({"exp s0:2 ; sh#0"}, {}).find("does not iterate"), std::string::npos);
  EXPECT_NE(refusal({exp, "copy c0:3 ; sh@0"}, {{0, 1}}).find("8 reals into 3"), std::string::npos);
}

}  // namespace
}  // namespace berth::executors
