// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"
#include "berth/trainable_policy.hpp"

#include "campaign.hpp"
#include "checkpoints/checkpoint.hpp"
#include "farm.hpp"
#include "folder_lock.hpp"
#include "policy_request.hpp"

namespace berth::launcher {

/// All that a campaign needs, made in the same way on every rank.
struct TrainSetup {
  Campaign campaign;
  std::unique_ptr<PluginHost> host;  ///< Outlives the policy.
  Problems problems;
  std::vector<PolicyRequest> incumbents;
  std::vector<PolicyRequest> rivals;
  std::unique_ptr<TrainablePolicy> policy;
  FarmSettings settings;
  checkpoints::Header header;  ///< All but the update.
};

/// The policy's options with the campaign's settings.
/// @throws InputError "file:line: ..." naming the nearest option; PluginError as the host.
[[nodiscard]] Config policy_options(const Campaign& campaign, PluginHost& host);

/// Loads plugins and problems and creates the policy.
/// @throws as reading graphs and loading plugins do.
[[nodiscard]] TrainSetup set_up_training(Campaign campaign,
                                         std::unique_ptr<PluginHost> host,
                                         Logger& logger);

/// For a run that resumes nothing: gives the policy the weights that the campaign starts from, if
/// it names some. @throws as start_from_weights().
void start_fresh(TrainSetup& setup, Logger& logger);

/// Rank 0: what a run in `folder` starts from; makes the folder and locks it. Empty for a fresh
/// run.
/// @throws InputError if the folder holds something and the run does not resume, or another run
///         writes into it;
///         CheckpointError if its checkpoints are of another campaign (saying what differs), or
///         none is intact.
[[nodiscard]] std::optional<checkpoints::Checkpoint> find_start(const std::filesystem::path& folder,
                                                                bool resume,
                                                                const TrainSetup& setup,
                                                                std::optional<FolderLock>& lock,
                                                                Logger& logger);

/// Puts policy and record into the state of a checkpoint. @throws CheckpointError.
void restore(const checkpoints::Checkpoint& checkpoint,
             const std::string& origin,
             TrainSetup& setup,
             CampaignRecord& record);

}  // namespace berth::launcher
