// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "parameter_layout.hpp"

#include <gtest/gtest.h>

#include "initial_weights.hpp"
#include "sample_problems.hpp"

namespace berth::doppler {
namespace {

TEST(ParameterLayout, ReferenceSizesAreThoseOfTheAuthorsNetworks) {
  for (const char* preset : {"parity", "reference"}) {
    const ParameterLayout layout(settings_of({{"preset", preset}}).architecture);

    EXPECT_EQ(layout.sel_size(), 2247425U);
    EXPECT_EQ(layout.plc_size(), 2248193U);
  }
}

TEST(InitialWeights, HeadsAreOrthonormal) {
  const ParameterLayout layout(settings_of({}).architecture);
  Rng rng(3);

  const std::vector<float> weights = initial_weights(layout, rng);

  const Parameter& hidden = layout.find("plc/hidden/weight");
  const auto columns = static_cast<std::size_t>(hidden.shape[1]);
  const float* first = weights.data() + hidden.offset;
  double square = 0.0;
  double product = 0.0;
  for (std::size_t c = 0; c < columns; ++c) {
    square += static_cast<double>(first[c] * first[c]);
    product += static_cast<double>(first[c] * first[columns + c]);
  }
  EXPECT_NEAR(square, 1.0, 1e-5);
  EXPECT_NEAR(product, 0.0, 1e-5);
}

TEST(Settings, ContradictionsAreRefused) {
  try {
    static_cast<void>(settings_of({{"preset", "parity"}, {"affinity", "4"}}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "doppler: affinity is 4; the presets parity and reference have no pairwise term: "
                 "set it to 0");
  }
}

TEST(Settings, TheReferencePresetRestoresEveryDefect) {
  const Settings reference = settings_of({{"preset", "reference"}});
  const Settings parity = settings_of({{"preset", "parity"}});

  EXPECT_EQ(reference.path_rows, PathRows::kDepthFirst);
  EXPECT_EQ(reference.timeline, TimelineRule::kLoad);
  EXPECT_EQ(reference.exploration, Exploration::kEpsGreedy);
  EXPECT_EQ(reference.reverse_arc, ReverseArc::kOwn);
  EXPECT_EQ(reference.t_level, LevelCost::kOwn);
  EXPECT_EQ(reference.baseline, Baseline::kRunMean);
  EXPECT_EQ(reference.timeline_type, TimelineType::kFloat32);
  EXPECT_EQ(reference.discount, 0.99);
  EXPECT_EQ(reference.simulation.final_learning_rate, reference.simulation.learning_rate);
  EXPECT_EQ(parity.path_rows, PathRows::kOwn);
  EXPECT_EQ(parity.timeline, TimelineRule::kEarliestStart);
  EXPECT_LT(parity.simulation.final_learning_rate, parity.simulation.learning_rate);
}

}  // namespace
}  // namespace berth::doppler
