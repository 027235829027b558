// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "refine.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "sample_problems.hpp"

namespace berth::doppler {
namespace {

TEST(Refine, NeverWorsensAPlacementAndReportsItsMakespan) {
  const auto problem = random_problem(30, 3, 8);
  const ProblemView view = make_view(*problem, settings_of({}));
  Simulator simulator(*problem);
  Rng rng(2);
  std::vector<DeviceId> device(30);
  for (DeviceId& d : device) {
    d = to_id<DeviceId>(rng.below(3));
  }
  const double before = simulator.makespan(device);

  const double after = refine(view, simulator, RefineSpec{200, 0.01}, device, before, rng);

  EXPECT_LT(after, before);
  EXPECT_EQ(after, simulator.makespan(device));
}

TEST(FreeRegion, IsAPartOfTheGraph) {
  const auto problem = random_problem(60, 3, 8);
  Rng rng(2);
  for (int i = 0; i < 50; ++i) {
    const std::vector<std::uint8_t> region = free_region(problem->graph, rng);

    const auto size = std::count(region.begin(), region.end(), std::uint8_t{1});
    EXPECT_GE(size, 1);
    EXPECT_LE(size, 60 / 16 + 60 / 3);
  }
}

TEST(IsDeep, TakesItsShareOneInEachRunOfFour) {
  // A share of 1 in 128 is a burst of four in 512 rollouts: ids 0, 4, 8, 12, then 512, 516, ...
  std::vector<std::uint64_t> deep;
  for (std::uint64_t id = 0; id < 1024; ++id) {
    if (is_deep(to_id<RolloutId>(id), 1.0 / 128.0)) {
      deep.push_back(id);
    }
  }

  EXPECT_EQ(deep, (std::vector<std::uint64_t>{0, 4, 8, 12, 512, 516, 520, 524}));
  EXPECT_FALSE(is_deep(RolloutId{0}, 0.0));
}

}  // namespace
}  // namespace berth::doppler
