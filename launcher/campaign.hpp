// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/config.hpp"
#include "berth/plugin_abi.h"

#include "farm/stage_plan.hpp"

namespace berth::launcher {

/// Options of a campaign: top-level keys of its file, flags of `berth train`, keys of --set.
[[nodiscard]] std::span<const berth_option_spec> campaign_options();
/// Keys of a table in `problems`.
[[nodiscard]] std::span<const berth_option_spec> problem_options();
/// Keys of a table in `stages`.
[[nodiscard]] std::span<const berth_option_spec> stage_options();

/// An option of the policy, checked once its plugin is loaded.
struct PolicySetting {
  std::string place;  ///< "file:line" or "--set", for messages.
  std::string name;
  std::string text;
};

/// A training campaign as its TOML file and command line describe it.
///
///     policy = "doppler"
///     rollouts = 64
///     problems = [ { graph = "ffnn.json", topology = "uniform:4" } ]
///     [[stages]]
///     kind = "simulation"
///     updates = 400
///     [doppler]
///     hidden = 64
struct Campaign {
  std::filesystem::path file;
  Config options;
  std::vector<Config> problems;
  std::vector<Config> stages;
  std::vector<PolicySetting> policy_settings;

  /// The stages, shortened or stretched to option `updates` where that is not 0.
  [[nodiscard]] StagePlan plan() const;

  /// A problem's graph: a workload word as it stands, a file relative to the campaign's folder.
  [[nodiscard]] std::string graph_path(const Config& problem) const;

  /// Likewise of a problem's topology: a preset, or a .json file.
  [[nodiscard]] std::string topology_path(const Config& problem) const;

  /// The placement file of a problem's `incumbent`; empty if it names none.
  [[nodiscard]] std::filesystem::path incumbent_path(const Config& problem) const;

  /// Effective configuration as JSON text, with `policy_options` of the loaded policy.
  [[nodiscard]] std::string to_json(const Config& policy_options) const;
};

/// Words that stand for weights, besides paths.
inline constexpr const char* kShippedWeights = "shipped";  ///< Those that come with Berth.
inline constexpr const char* kFreshWeights = "none";

/// Reads a campaign. @throws InputError "file:line: found; expected": no such file, no TOML, an
/// unknown key (the nearest is named), a value out of range, no problem, no stage with updates.
[[nodiscard]] Campaign read_campaign(const std::filesystem::path& file);

/// Applies `key=value` of --set: a campaign option, or `<policy>.<option>`.
/// @throws InputError naming the word and the nearest key.
void apply_setting(Campaign& campaign, std::string_view word);

/// Applies one option given as a flag. @throws InputError naming flag, text and range.
void apply_flag(Campaign& campaign, std::string_view option, std::string_view text);

/// What differs between two effective configurations in ways that change results, for example
/// "campaign.rollouts: '32' and '64'"; empty when a run may continue from the other.
[[nodiscard]] std::string first_difference(const std::string& json_a, const std::string& json_b);

}  // namespace berth::launcher
