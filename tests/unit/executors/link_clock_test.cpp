// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "core/link_clock.hpp"

#include <gtest/gtest.h>

namespace berth::executors {
namespace {

TEST(LinkClock, SerialisesTransfersThatShareACopyEngine) {
  const Topology topology = Topology::uniform(3);
  LinkClock links(topology);
  EXPECT_EQ(links.reserve(0, 1, 0.0, 2.0).finish, 2.0);
  const auto second = links.reserve(0, 2, 1.0, 2.0);  // the sender is busy until 2
  EXPECT_EQ(second.start, 2.0);
  EXPECT_EQ(second.finish, 4.0);
  EXPECT_EQ(links.reserve(1, 0, 1.0, 2.0).finish, 3.0);  // the other direction is free
  EXPECT_EQ(links.reserve(1, 2, 3.5, 1.0).start, 4.0);   // the receiver is busy until 4
  links.reset();
  EXPECT_EQ(links.reserve(0, 1, 0.0, 2.0).finish, 2.0);
}

TEST(LinkClock, SerialisesTransfersOfOtherDevicesOverASharedLink) {
  TopologyBuilder builder("bus");
  for (int d = 0; d < 4; ++d) {
    builder.add_device({});
  }
  const LinkId bus = builder.add_link({"bus", BytesPerSecond{1.0}, Seconds{0.0}});
  for (unsigned a = 0; a < 4; ++a) {
    for (unsigned b = 0; b < 4; ++b) {
      if (a != b) {
        builder.route(to_id<DeviceId>(a), to_id<DeviceId>(b), {bus});
      }
    }
  }
  const Topology topology = builder.freeze();
  LinkClock links(topology);
  EXPECT_EQ(links.reserve(0, 1, 0.0, 2.0).finish, 2.0);
  EXPECT_EQ(links.reserve(2, 3, 0.0, 2.0).start, 2.0);
}

}  // namespace
}  // namespace berth::executors
