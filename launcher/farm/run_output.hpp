// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

#include "checkpoints/checkpoint.hpp"
#include "checkpoints/run_folder.hpp"
#include "farm.hpp"
#include "metrics_file.hpp"
#include "progress_line.hpp"

namespace berth::launcher {

/// Files of a run, written by rank 0:
///
///     checkpoints/latest.h5, best.h5, update_<number>.h5
///     metrics.jsonl            one line an update
///     best_placement.json      best placement known of the first problem; once placements were
///                              measured, the one that measured best, with its simulated makespan
///     simulated_placement.json the best by simulation, which measuring started from
///     best_placement_<i>.json  of problem i = 0, 1, ..., where there are several
class RunOutput final : public FarmOutput {
 public:
  /// Cuts metrics.jsonl to the updates of `record`. References must outlive the object.
  /// @param header All but the update number.
  RunOutput(std::filesystem::path folder,
            checkpoints::Header header,
            const TrainablePolicy& policy,
            const Problems& problems,
            const CampaignRecord& record,
            std::uint64_t updates,
            std::size_t keep_checkpoints,
            double progress_seconds);

  void updated(const CampaignRecord& record, const UpdateSummary& summary) override;
  void checkpoint(const CampaignRecord& record, checkpoints::Standing standing) override;

  /// Writes the placements of `record`.
  void write_placements(const CampaignRecord& record) const;

 private:
  void show_progress(const CampaignRecord& record, const UpdateSummary& summary);

  std::filesystem::path folder_;
  checkpoints::Header header_;
  checkpoints::RunFolder checkpoints_;
  const TrainablePolicy& policy_;
  const Problems& problems_;
  std::uint64_t updates_;
  std::uint64_t rollouts_before_;
  MetricsFile metrics_;
  ProgressLine progress_;
};

/// Mean over problems of the best rollout's makespan above the lower bound, a fraction; infinite
/// while a problem has none.
[[nodiscard]] double mean_gap(const Problems& problems, const CampaignRecord& record);

}  // namespace berth::launcher
