// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "annealing.hpp"
#include "exhaustive.hpp"
#include "reference_cases.hpp"

namespace berth::baselines {
namespace {

GapSummary annealed(const std::vector<ReferenceCase>& cases, std::uint64_t simulations) {
  return measure(
      *make_policy(make_annealing, kAnnealingOptions), cases, {.simulations = simulations});
}

// Of the 684 listed values that the lower bound does not refute, four are refuted by exhaustive
// search, so 680 at most can be met.
TEST(WholeSets, AnnealingMeetsTheStandardTaskGraphs) {
  BERTH_NEEDS_REFERENCE_DATA("stg/optimal.csv");
  const auto cases = within_reach(reference_cases(kStg, Discipline::kAuto));

  const GapSummary summary = annealed(cases, 100'000);

  EXPECT_EQ(cases.size(), 684U);
  EXPECT_GE(summary.exact, 660U);
}

TEST(WholeSets, AnnealingComesCloseWithTransferCosts) {
  BERTH_NEEDS_REFERENCE_DATA("auckland/sample.csv");
  const GapSummary summary = annealed(reference_cases(kAuckland, Discipline::kAuto), 50'000);

  EXPECT_LE(summary.mean_gap, 0.005);
  EXPECT_GE(summary.exact, 630U);
}

TEST(WholeSets, AnnealingComesCloseOnJobShops) {
  BERTH_NEEDS_REFERENCE_DATA("jobshop/optimal.csv");
  EXPECT_LE(annealed(reference_cases(kJobShop, Discipline::kAuto), 200'000).mean_gap, 0.03);
  EXPECT_LE(annealed(reference_cases(kFlexible, Discipline::kAuto), 200'000).mean_gap, 0.03);
}

TEST(WholeSets, ExhaustiveProvesEveryTenTaskGraphWithTransferCosts) {
  BERTH_NEEDS_REFERENCE_DATA("auckland/sample.csv");
  const auto cases = reference_cases(kAuckland, Discipline::kStaticOrder, 1, "10-nodes");
  EXPECT_EQ(cases.size(), 259U);
  for (const ReferenceCase& reference : cases) {
    Evaluator evaluator(*reference.problem);
    Rng rng(1);
    static_cast<void>(make_policy(make_exhaustive, kExhaustiveOptions)
                          ->place(*reference.problem, evaluator, rng));
    EXPECT_EQ(evaluator.best_makespan(), reference.optimum) << reference.name;
    EXPECT_EQ(evaluator.lower_bound(), reference.optimum) << reference.name;
  }
}

}  // namespace
}  // namespace berth::baselines
