// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "farm/work_division.hpp"

#include <set>

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

TEST(WorkDivision, GivesEveryGroupToExactlyOneRankInOrder) {
  for (const std::uint64_t rollouts : {1U, 2U, 7U, 12U, 64U}) {
    for (const int ranks : {1, 2, 3, 7, 20}) {
      const WorkDivision division{rollouts, 3, 1};
      std::uint64_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Range own = division.groups_of(rank, ranks);
        EXPECT_EQ(own.begin, next);
        next = own.end;
        for (std::uint64_t group = own.begin; group < own.end; ++group) {
          EXPECT_EQ(division.owner_of(group, ranks), rank);
        }
      }
      EXPECT_EQ(next, division.groups());
      EXPECT_EQ(division.owner_of(0, ranks), 0);
    }
  }
}

TEST(WorkDivision, TheLastGroupHoldsTheRest) {
  const WorkDivision division{7, 3, 1};

  EXPECT_EQ(division.groups(), 3U);
  EXPECT_EQ(division.rollouts_of(0), (Range{0, 3}));
  EXPECT_EQ(division.rollouts_of(2), (Range{6, 7}));
}

TEST(WorkDivision, ProblemsTakeTurnsByGroupOverUpdates) {
  const WorkDivision division{4, 2, 3};  // 2 groups an update, 3 problems

  EXPECT_EQ(division.problem_of(0, 0), 0U);
  EXPECT_EQ(division.problem_of(0, 1), 1U);
  EXPECT_EQ(division.problem_of(1, 0), 2U);
  EXPECT_EQ(division.problem_of(1, 1), 0U);
}

TEST(WorkDivision, SeedsDependOnRunUpdateAndIdAlone) {
  const WorkDivision division{4, 2, 3};
  std::set<std::uint64_t> seeds;

  for (const std::uint64_t run_seed : {1U, 2U}) {
    for (std::uint64_t update = 0; update < 3; ++update) {
      for (std::uint64_t number = 0; number < 4; ++number) {
        const RolloutSpec spec = division.spec(run_seed, update, number, Stage::kImitation, 0.5);
        seeds.insert(spec.seed);
        EXPECT_EQ(index(spec.id), update * 4 + number);
        EXPECT_EQ(spec.problem, division.problem_of(update, number / 2));
        EXPECT_EQ(spec.seed, division.spec(run_seed, update, number, Stage::kSimulation, 0.0).seed);
      }
    }
  }

  EXPECT_EQ(seeds.size(), 24U);
}

}  // namespace
}  // namespace berth::launcher
