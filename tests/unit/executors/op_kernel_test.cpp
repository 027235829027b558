// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/op_kernel.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "error_text.hpp"

namespace berth {
namespace {

using berth::testing::error_text;

TEST(OpKernel, ReadsAContractionAndWritesItBack) {
  const std::string text = "contract k0:500 j500:1000 / l0:250 ; kl#0*0.05 ; lj@7,8";
  const OpKernel kernel = parse_op_kernel(text);
  EXPECT_EQ(kernel.function, "contract");
  EXPECT_EQ(kernel.output, (std::vector<AxisRange>{{'k', 0, 500}, {'j', 500, 1000}}));
  EXPECT_EQ(kernel.reduced, (std::vector<AxisRange>{{'l', 0, 250}}));
  ASSERT_EQ(kernel.operands.size(), 2U);
  EXPECT_EQ(kernel.operands[0].input, 0U);
  EXPECT_EQ(kernel.operands[0].amplitude, 0.05);
  EXPECT_EQ(kernel.operands[1].producers, (std::vector<OpId>{to_id<OpId>(7), to_id<OpId>(8)}));
  EXPECT_EQ(kernel.output_reals(), 250000U);
  EXPECT_EQ(to_text(kernel), text);
}

TEST(OpKernel, ReadsEveryPartThatAKernelMayHave) {
  for (const char* text : {"affine s0:8 *0.25 +1e-05 ; s@3",
                           "complex-multiply s0:8 n0:2 c0:4 =2 ; snc@1 ; sc#4*3.14",
                           "causal-mask s4:8 t0:4 +-1e+09",
                           "copy h0:32 ; Sh@5,6",
                           "max-partials n0:2 s0:8 ; ns@1,2,3"}) {
    EXPECT_EQ(to_text(parse_op_kernel(text)), text);
  }
}

TEST(OpKernel, RefusesWhatItCannotRunAndSaysWhere) {
  const auto refusal = [](const char* text) {
    return error_text<InputError>([&] { static_cast<void>(parse_op_kernel(text)); });
  };
  EXPECT_NE(refusal("convolve s0:8").find("expected a function"), std::string::npos);
  EXPECT_NE(refusal("exp s8:8 ; s@1").find("not empty"), std::string::npos);
  EXPECT_NE(refusal("exp s0:8 s0:8 ; s@1").find("twice"), std::string::npos);
  EXPECT_NE(refusal("exp s0:8").find("1 operands"), std::string::npos);
  EXPECT_NE(refusal("sum s0:8 ; s@1").find("after '/'"), std::string::npos);
  EXPECT_NE(refusal("exp s0:8 / t0:8 ; s@1").find("without '/'"), std::string::npos);
  EXPECT_NE(refusal("exp s0:8 =3 ; s@1").find("1 or 2"), std::string::npos);
  EXPECT_NE(refusal("exp s0:8 ; s").find("'#'"), std::string::npos);
  EXPECT_NE(refusal("exp s0:99999999999 ; s@1").find("end of the axis"), std::string::npos);
  EXPECT_NE(refusal("affine s0:8 *nan ; s@1").find("a factor"), std::string::npos);
  EXPECT_NE(refusal("").find("a function"), std::string::npos);
}

}  // namespace
}  // namespace berth
