// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "share_program.hpp"

#include <gtest/gtest.h>

#include "berth/rng.hpp"

#include "cluster_file.hpp"

namespace berth::schedulers {
namespace {

/// z of max z, and what the duals prove, started near the answer and not.
void expect_same_optimum(const Cluster& cluster,
                         const std::vector<ShareRow>& rows,
                         const std::vector<double>& demand) {
  BalancedShares from_nothing(cluster, rows);
  const double z = from_nothing.solve(demand);
  BalancedShares near(cluster, rows);
  near.start_near(demand);

  EXPECT_NEAR(near.solve(demand) / z, 1.0, 1e-9);
  EXPECT_NEAR(near.dual_bound() / z, 1.0, 1e-9);
}

TEST(BalancedShares, HasTheSameOptimumWhereverItStarts) {
  const Cluster cluster = datasets::make_cluster("a:4/4,b:8/4,c:2/2");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    std::vector<ShareRow> rows(1 + rng.below(30));
    std::vector<double> demand;
    for (ShareRow& row : rows) {
      row.gang = static_cast<double>(1U << rng.below(3));
      for (int t = 0; t < 3; ++t) {
        row.rates.push_back(t > 0 && rng.uniform() < 0.3 ? 0.0 : 0.1 + 10.0 * rng.uniform());
      }
      demand.push_back(1.0 + 1e5 * rng.uniform() * rng.uniform());
    }
    expect_same_optimum(cluster, rows, demand);
  }
}

// The long job alone bounds the rest: its row of time is tight, which the start ignores.
TEST(BalancedShares, HasTheSameOptimumWhereOneJobIsTooLong) {
  const Cluster cluster = datasets::make_cluster("a:2/2,b:2/2");

  expect_same_optimum(cluster, {{{1.0, 2.0}, 1.0}, {{1.0, 1.0}, 2.0}}, {1000.0, 10.0});
}

// Only one type can serve, and one job alone: no type has anything to be balanced with.
TEST(BalancedShares, StartsWhereATypeServesNobody) {
  const Cluster cluster = datasets::make_cluster("a:1,b:1");

  expect_same_optimum(cluster, {{{3.0, 0.0}, 1.0}}, {6.0});
}

}  // namespace
}  // namespace berth::schedulers
