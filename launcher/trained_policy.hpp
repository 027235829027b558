// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"
#include "berth/trainable_policy.hpp"

#include "checkpoints/checkpoint.hpp"
#include "command_line.hpp"
#include "policy_request.hpp"

namespace berth::launcher {

/// The policy of a checkpoint, with the options it was trained with (those of `request` replace
/// them) and its trained state.
/// @param file A checkpoint, or the folder of a run: then its best one.
/// @throws CheckpointError for a checkpoint that is unreadable or does not fit; InputError if it
///         holds another policy than `request` names.
[[nodiscard]] std::unique_ptr<TrainablePolicy> load_trained_policy(
    PluginHost& host,
    const PolicyRequest& request,
    const std::filesystem::path& file,
    std::uint64_t seed);

/// The help of --checkpoint.
inline constexpr const char* kCheckpointHelp =
    "trained state of a policy that learns: a checkpoint, a run's folder (its best one), or none; "
    "default: the one that ships with Berth for that policy";

/// A policy, and the checkpoint that its weights come from.
struct MadePolicy {
  std::unique_ptr<PlacementPolicy> policy;
  std::string weights;  ///< "" for a policy that does not learn, "untrained", or a path.
};

/// The policy that a command line asks for.
/// @param checkpoint "" for the one that ships with Berth (share/berth/checkpoints/<policy>.h5), if
///        there is one and it fits the options of `request`; "none" for fresh weights; else a path.
///        A policy that learns and knows nothing gets a warning.
[[nodiscard]] MadePolicy make_policy(PluginHost& host,
                                     const PolicyRequest& request,
                                     const std::string& checkpoint,
                                     std::uint64_t seed,
                                     Logger& logger);

/// Removes what placing does not need, by the names that Berth's policies give it: moments (adam/),
/// baselines, known placements (elite/), versions; and the farm's state. What a plugin names
/// otherwise stays.
void keep_weights(checkpoints::State& state);

/// Gives `policy` the weights of a checkpoint, of any problems, and nothing else that it knows.
/// @param name of the policy. @param file A checkpoint, the folder of a run (its best one), or
///        "shipped" for those that come with Berth.
/// @return the checkpoint's path.
/// @throws CheckpointError for one that is unreadable or does not fit; InputError if it holds
///         another policy, or none ships.
std::string start_from_weights(TrainablePolicy& policy,
                               const std::string& name,
                               const std::string& file);

/// What --checkpoint says, "" if it is not given. @throws InputError if it is given empty.
[[nodiscard]] std::string checkpoint_of(const CommandLine& line);

/// Name of the policy that a checkpoint holds. @throws CheckpointError.
[[nodiscard]] std::string policy_in(const std::filesystem::path& file);

}  // namespace berth::launcher
