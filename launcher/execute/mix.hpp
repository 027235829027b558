// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/config.hpp"

#include "merge.hpp"

namespace berth::launcher {

/// A machine of the mix: one rank of the run.
struct MixNode {
  std::string name;
  double gflops = 1.0;     ///< Believed speed, before anything is measured.
  double gbps = 1.0;       ///< Memory bandwidth, GB/s.
  double pcie_gbps = 1.0;  ///< To whatever feeds it.
  std::uint32_t threads = 1;
  double duty = 1.0;  ///< Share of the time that it computes: an emulated slower node.
};

/// An option of a model as the mix states it.
struct ModelSetting {
  std::string place;  ///< "file:line"
  std::string name;
  std::string text;
};

/// A job of the mix.
struct MixJob {
  std::string place;
  std::string name;
  std::string model;        ///< An offer of berth.training_job/1.
  std::uint64_t steps = 0;  ///< In all; 0: from `epochs`.
  double epochs = 0.0;
  std::uint64_t seed = 0;  ///< Added to the seed of the run.
  std::vector<ModelSetting> settings;
};

/// Jobs to be trained on nodes, and how: the content of a MIX.toml.
struct Mix {
  std::filesystem::path file;
  Config options;  ///< Of mix_options().
  std::vector<MixNode> nodes;
  std::vector<MixJob> jobs;

  [[nodiscard]] std::uint64_t seed() const;
  /// Slots are counted in steps: nothing depends on a clock.
  [[nodiscard]] bool is_step_counted() const;
  [[nodiscard]] MergeRule merge_rule() const;
  /// Everything that has an effect on the run, as JSON.
  [[nodiscard]] std::string to_json() const;
};

[[nodiscard]] std::span<const berth_option_spec> mix_options();
/// Keys of a table of `nodes` and of `jobs`; a job also takes the options of its model.
[[nodiscard]] std::span<const berth_option_spec> mix_node_options();
[[nodiscard]] std::span<const berth_option_spec> mix_job_options();

/// @throws InputError naming file, line, key, what was found and expected: unknown keys, values
/// out of range, no nodes or jobs, duplicate names, not exactly one of slot_seconds and slot_steps,
/// not exactly one of a job's steps and epochs.
[[nodiscard]] Mix read_mix(const std::filesystem::path& file);

/// Sets an option of the mix from the command line. @throws InputError.
void set_mix_option(Mix& mix,
                    const std::string& place,
                    std::string_view key,
                    const std::string& text);

/// Leaves the jobs of a list of names separated by commas; their seeds stay.
/// @throws InputError naming one that is not in the mix, and the nearest that is.
void keep_jobs(Mix& mix, const std::string& names);

/// Checks what only the whole mix shows; after all options are set. @throws InputError.
void check_mix(const Mix& mix);

}  // namespace berth::launcher
