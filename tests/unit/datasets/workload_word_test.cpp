// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/workloads/workload_word.hpp"

#include <string>

#include <gtest/gtest.h>

#include "berth/error.hpp"

namespace berth::datasets {
namespace {

std::string word_refusal(const char* word) {
  try {
    static_cast<void>(make_workload_of(word));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(WorkloadWord, StandsForAGeneratedGraphWithDefaults) {
  // 112 nodes in the published chain of matrix products, 36 of them inputs that are not placed.
  EXPECT_EQ(make_workload_of("workload:chain-mm").num_ops(), 76U);
  EXPECT_EQ(make_workload_of("workload:chain-mm:4:reference").hash(),
            make_workload_of("workload:chain-mm").hash());
  EXPECT_EQ(make_workload_of("workload:ffnn:4:physical").cost_basis(), CostBasis::kPhysical);
  EXPECT_FALSE(is_workload_word("chain-mm.json"));
}

TEST(WorkloadWord, NamesThePartThatIsWrong) {
  EXPECT_NE(word_refusal("workload:chain-mm:x").find("'x' is no number of devices"),
            std::string::npos);
  EXPECT_NE(word_refusal("workload:chain-mm:4:free").find("unknown costs 'free'"),
            std::string::npos);
  EXPECT_NE(word_refusal("workload:chain-mm:4:physical:9").find("expected axis letters"),
            std::string::npos);
  EXPECT_NE(word_refusal("workload:chain-mm:4:physical:i8:9").find("too many parts"),
            std::string::npos);
  EXPECT_NE(word_refusal("workload:nothing").find("workload:nothing"), std::string::npos);
}

}  // namespace
}  // namespace berth::datasets
