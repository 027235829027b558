// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "farm/watchdog.hpp"

#include <future>

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

TEST(Watchdog, NamesWhatTheProcessIsStuckIn) {
  std::promise<std::string> barked;
  Watchdog watchdog(0.2, [&barked](const std::string& message) { barked.set_value(message); });

  watchdog.alive("rollout", 17);

  EXPECT_EQ(barked.get_future().get(),
            "silent for over 0.2 s in rollout 17; see --watchdog-seconds");
}

TEST(Watchdog, OfZeroSecondsOrAtRestIsSilent) {
  int barks = 0;
  {
    Watchdog none(0.0, [&barks](const std::string&) { ++barks; });
    Watchdog resting(1e6, [&barks](const std::string&) { ++barks; });
    resting.rest();
  }

  EXPECT_EQ(barks, 0);
}

}  // namespace
}  // namespace berth::launcher
