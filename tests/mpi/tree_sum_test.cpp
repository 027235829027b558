// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "farm/tree_sum.hpp"

#include <gtest/gtest.h>

#include "berth/rng.hpp"

#include "mpi_session.hpp"

namespace berth::launcher {
namespace {

MpiSession* session = nullptr;

/// Values of very different size: their sum depends on the order.
void add_values(std::uint64_t group, std::span<float> out) {
  Rng rng(group);
  for (float& value : out) {
    value += static_cast<float>((rng.uniform() - 0.5) * static_cast<double>(1U << (group % 24)));
  }
}

/// The tree of the header's description, without ranks.
std::vector<float> reference(std::uint64_t begin, std::uint64_t end, std::size_t size) {
  std::vector<float> sum(size, 0.0F);
  if (end - begin == 1) {
    add_values(begin, sum);
    return sum;
  }
  const std::vector<float> left = reference(begin, (begin + end) / 2, size);
  const std::vector<float> right = reference((begin + end) / 2, end, size);
  for (std::size_t i = 0; i < size; ++i) {
    sum[i] = left[i] + right[i];
  }
  return sum;
}

TEST(TreeSum, HasTheSameBitsForAnyNumberOfRanks) {
  for (const std::uint64_t groups : {1U, 2U, 3U, 4U, 7U, 16U, 33U}) {
    WorkDivision division;
    division.rollouts = groups * 2;
    division.group_size = 2;
    TreeSum sum(*session, division, 5000);

    const auto total =
        sum([](std::uint64_t group, std::span<float> out) { add_values(group, out); });

    EXPECT_EQ(std::vector<float>(total.begin(), total.end()), reference(0, groups, 5000))
        << groups << " groups on " << session->size() << " ranks";
  }
}

TEST(TreeSum, EveryGroupIsDoneOnceByItsOwner) {
  WorkDivision division;
  division.rollouts = 13;
  division.group_size = 3;  // 5 groups, the last of 1 rollout
  std::string mine;
  TreeSum sum(*session, division, 1);

  static_cast<void>(sum([&](std::uint64_t group, std::span<float>) {
    EXPECT_EQ(division.owner_of(group, session->size()), session->rank());
    mine += std::to_string(group);
  }));
  std::string all;
  for (const std::string& part : session->all_gather(mine, "test")) {
    all += part;
  }

  EXPECT_EQ(all, "01234");
}

TEST(MpiSession, GathersBytesOfAnyLengthByRank) {
  const std::string mine(static_cast<std::size_t>(session->rank()) * 100'000,
                         static_cast<char>('a' + session->rank()));

  const std::vector<std::string> all = session->all_gather(mine, "test");

  ASSERT_EQ(all.size(), static_cast<std::size_t>(session->size()));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    EXPECT_EQ(all[rank], std::string(rank * 100'000, static_cast<char>('a' + rank)));
  }
}

}  // namespace
}  // namespace berth::launcher

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  berth::launcher::MpiSession session;
  berth::launcher::session = &session;
  return RUN_ALL_TESTS();
}
