// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/workloads/workload_word.hpp"

#include <string>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "datasets/workloads/random_graph.hpp"

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

TEST(RandomWord, MakesEveryFamilyInTopologicalOrderAndAboutThatSize) {
  for (const std::string_view family : random_families()) {
    const std::string word = "random:" + std::string(family) + ":60:2:";
    for (const char* seed : {"1", "2", "3", "4", "5", "6"}) {
      const Graph graph = make_workload_of(word + seed);
      EXPECT_EQ(graph.hash(), make_workload_of(word + seed).hash()) << word;
      EXPECT_GE(graph.num_ops(), 30U) << word << seed;
      EXPECT_LE(graph.num_ops(), 90U) << word << seed;
      for (std::size_t v = 0; v < graph.num_ops(); ++v) {
        for (const OpId next : graph.successors(to_id<OpId>(v))) {
          EXPECT_LT(v, index(next)) << word << seed;
        }
      }
    }
    EXPECT_NE(make_workload_of(word + "1").hash(), make_workload_of(word + "2").hash()) << word;
    EXPECT_GE(make_workload_of("random:" + std::string(family) + ":1").num_ops(), 1U);
  }
}

TEST(RandomWord, NamesThePartThatIsWrong) {
  EXPECT_EQ(word_refusal("random:layered:x"),
            "'random:layered:x': 'x'; expected a number of ops as in random:layered:40:1.5:7");
  EXPECT_EQ(word_refusal("random:layered:0"),
            "'random:layered:0': random graph of 0 ops: expected 1 to 100000 ops and a finite ccr "
            ">= 0");
  EXPECT_EQ(
      word_refusal("random:layered:20:-3"),
      "'random:layered:20:-3': '-3'; expected a ratio of transfer to work, finite and >= 0, as "
      "in random:layered:40:1.5:7");
  EXPECT_NE(word_refusal("random:ladder").find("unknown family 'ladder'; expected one of layered"),
            std::string::npos);
  EXPECT_NE(word_refusal("random:layered:4:1:1:1").find("too many parts"), std::string::npos);
}

}  // namespace
}  // namespace berth::datasets
