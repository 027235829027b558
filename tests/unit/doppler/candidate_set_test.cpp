// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "candidate_set.hpp"

#include <gtest/gtest.h>

#include "sample_problems.hpp"

namespace berth::doppler {
namespace {

std::vector<std::uint32_t> listed(const CandidateSet& set) {
  return {set.list().begin(), set.list().end()};
}

TEST(CandidateSet, OffersAnOpOnceAllItsPredecessorsArePicked) {
  const auto problem = diamond(2);
  CandidateSet set(problem->graph);

  EXPECT_EQ(listed(set), (std::vector<std::uint32_t>{0}));
  set.pick(0);
  EXPECT_EQ(listed(set), (std::vector<std::uint32_t>{1, 2}));
  set.pick(1);
  EXPECT_EQ(listed(set), (std::vector<std::uint32_t>{1}));
  set.pick(0);
  EXPECT_EQ(listed(set), (std::vector<std::uint32_t>{3}));
}

TEST(CandidateSet, StartsAnewAfterReset) {
  const auto problem = diamond(2);
  CandidateSet set(problem->graph);
  set.pick(0);

  set.reset();

  EXPECT_EQ(listed(set), (std::vector<std::uint32_t>{0}));
}

}  // namespace
}  // namespace berth::doppler
