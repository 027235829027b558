// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include <gtest/gtest.h>

#include "doppler_policy.hpp"
#include "recorded_state.hpp"
#include "sample_problems.hpp"

namespace berth::doppler {
namespace {

TEST(WeightsState, RefusesWeightsThatAreNotFinite) {
  DopplerPolicy policy(settings_of({}), 1);
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    RecordedState saved;
    policy.save(saved);
    saved.entries.at("sel/input/weight").values.back() = value;
    try {
      policy.load(saved);
      FAIL();
    } catch (const CheckpointError& error) {
      EXPECT_STREQ(error.what(),
                   "doppler: 'sel/input/weight' of the checkpoint holds values that are not "
                   "finite; expected weights of a training that went well");
    }
  }
}

}  // namespace
}  // namespace berth::doppler
