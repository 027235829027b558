// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include "berth/cluster_scheduler.hpp"
#include "berth/logger.hpp"

#include "checkpoints/checkpoint.hpp"
#include "checkpoints/run_folder.hpp"
#include "execution.hpp"
#include "farm/folder_lock.hpp"
#include "farm/metrics_file.hpp"

namespace berth::launcher {

/// Where a run's checkpoints come from: who decides, what is trained. All but the round.
[[nodiscard]] checkpoints::Header mix_header(const Mix& mix, const std::string& scheduler);

/// The checkpoint to continue from, or none for a new run; holds the folder by `lock`.
/// @throws InputError for a folder in use or, without --resume, not empty; CheckpointError where
/// there is no checkpoint to --resume from, for a damaged one, or one of another mix, naming the
/// first difference.
[[nodiscard]] std::optional<checkpoints::Checkpoint> find_mix_start(
    const std::filesystem::path& folder,
    bool resume,
    const checkpoints::Header& expected,
    std::optional<FolderLock>& lock,
    Logger& logger);

/// Files of a run, written by rank 0 after every round:
///
///     checkpoints/latest.h5, update_<round>.h5     schema: checkpoints/SCHEMA.md
///     rounds.jsonl                                 a line a round
///
/// and the rows of the round on standard output unless `quiet`.
class MixOutput final : public ExecutionOutput {
 public:
  MixOutput(std::filesystem::path folder,
            checkpoints::Header header,
            std::size_t keep,
            std::uint64_t rounds_done,
            bool quiet);

  void round_done(const JobTracker& tracker) override;

 private:
  checkpoints::Header header_;
  checkpoints::RunFolder checkpoints_;
  MetricsFile rounds_;
  bool quiet_;
  bool has_header_ = false;
};

}  // namespace berth::launcher
