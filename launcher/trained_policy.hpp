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

/// The policy that a command line asks for: that of `checkpoint` if it names one, else fresh. A
/// fresh policy that learns knows nothing yet, and a warning says so.
[[nodiscard]] std::unique_ptr<PlacementPolicy> make_policy(PluginHost& host,
                                                           const PolicyRequest& request,
                                                           const std::filesystem::path* checkpoint,
                                                           std::uint64_t seed,
                                                           Logger& logger);

/// Name of the policy that a checkpoint holds. @throws CheckpointError.
[[nodiscard]] std::string policy_in(const std::filesystem::path& file);

}  // namespace berth::launcher
