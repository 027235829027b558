// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/config.hpp"

#include "gdp_net.hpp"
#include "placeto_net.hpp"
#include "settings.hpp"

namespace berth::learned {

/// What both policies have in common, parsed.
struct LearnedSettings {
  const char* name = "";                         ///< Of the policy, for messages.
  doppler::StageSettings imitation, simulation;  ///< Of stages I; II and III.
  doppler::Exploration exploration = doppler::Exploration::kSample;
  doppler::Baseline baseline = doppler::Baseline::kGroup;
  double discount = 1.0;
  double clip_norm = 0.0;       ///< 0: none
  bool sum_over_steps = false;  ///< Loss summed over the steps of a rollout; otherwise averaged.
  bool merge_empty_devices = true;
  bool scales_features = true;  ///< Z over the ops; otherwise as they are.
  bool needs_related = false;   ///< Whether the network asks who is an ancestor of whom.
  std::size_t most_inputs = 0;  ///< GDP: columns for ids of predecessors; 0: Placeto's columns.
  std::uint32_t samples = 64;   ///< Rollouts of place() without a budget.

  bool operator==(const LearnedSettings&) const = default;
};

/// `config` holds the options of learned_options.hpp.
[[nodiscard]] LearnedSettings parse_placeto(const Config& config, PlacetoSizes& sizes);
/// @throws InputError if the heads do not divide the width.
[[nodiscard]] LearnedSettings parse_gdp(const Config& config, GdpSizes& sizes);

/// Static columns of GDP: eight kinds, output size, ids of predecessors.
inline constexpr std::size_t kGdpKinds = 8;

}  // namespace berth::learned
