// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "settings.hpp"

#include <gtest/gtest.h>

#include "option_table.hpp"
#include "preset_values.hpp"

namespace berth::doppler {
namespace {

TEST(Settings, OfAPresetAreThoseThatTheHelpNames) {
  testing::expect_help_names_what_presets_do(
      kOptions, "doppler", [](const Config& config) { return parse_settings(config); });
}

}  // namespace
}  // namespace berth::doppler
