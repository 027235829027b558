// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/network_levels.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

namespace berth {
namespace {

NetworkLevel link(double bandwidth, double uplink = 0.0) {
  return {"link", bandwidth, 1e-6, uplink, 1};
}

TEST(NetworkLevels, DevicesMeetInTheirInnermostCommonUnit) {
  const std::uint32_t units[] = {4, 3};
  const NetworkLevels network = NetworkLevels::uniform(units, {link(100), link(10)});

  EXPECT_EQ(network.num_devices(), 12U);
  EXPECT_EQ(network.level_between(0, 3), 0U);
  EXPECT_EQ(network.level_between(3, 4), 1U);
  EXPECT_EQ(network.level_between(5, 5), 0U);
}

TEST(NetworkLevels, UnitsMayHaveDifferentSizes) {
  const NetworkLevels network({link(100), link(10)}, {{0, 0, 0, 1}, {0, 0, 0, 0}});

  EXPECT_EQ(network.level_between(2, 3), 1U);
  EXPECT_EQ(network.largest_unit(0), 3U);
}

TEST(NetworkLevels, ASharedUplinkIsDividedAmongItsUsers) {
  const std::uint32_t units[] = {4, 2};
  const NetworkLevels network = NetworkLevels::uniform(units, {link(100), link(30, 40)});

  EXPECT_DOUBLE_EQ(network.bandwidth(1, 1), 30.0);  // the device's own limit
  EXPECT_DOUBLE_EQ(network.bandwidth(1, 4), 10.0);
  EXPECT_DOUBLE_EQ(network.bandwidth(0, 4), 100.0);  // not shared
}

TEST(NetworkLevels, RefusesUnitsThatDoNotNestAndBadNumbers) {
  EXPECT_THROW(NetworkLevels({link(1), link(1)}, {{0, 0, 1}, {0, 1, 1}}), InputError);
  EXPECT_THROW(NetworkLevels({link(1)}, {{0, 1}}), InputError);
  EXPECT_THROW(NetworkLevels({link(-1)}, {{0, 0}}), InputError);
  const std::uint32_t units[] = {0};
  EXPECT_THROW(static_cast<void>(NetworkLevels::uniform(units, {link(1)})), InputError);
}

}  // namespace
}  // namespace berth
