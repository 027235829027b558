// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "mix_output.hpp"

#include "berth/error.hpp"
#include "berth/version.hpp"

#include "campaign.hpp"
#include "checkpoints/state_recorder.hpp"
#include "farm/run_start.hpp"
#include "mix_report.hpp"

namespace berth::launcher {
namespace fs = std::filesystem;
namespace {

bool has_checkpoint(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder / "checkpoints", error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".h5") {
      return true;
    }
  }
  return false;
}

}  // namespace

checkpoints::Header mix_header(const Mix& mix, const std::string& scheduler) {
  checkpoints::Header header;
  header.plugin = "berth";
  header.plugin_version = kVersion;
  header.policy = scheduler;
  header.seed = mix.seed();
  header.config = mix.to_json();
  return header;
}

std::optional<checkpoints::Checkpoint> find_mix_start(const fs::path& folder,
                                                      bool resume,
                                                      const checkpoints::Header& expected,
                                                      std::optional<FolderLock>& lock,
                                                      Logger& logger) {
  if (resume && !has_checkpoint(folder)) {
    throw CheckpointError(folder.string() +
                          ": no checkpoint to --resume from; expected the folder of a run that "
                          "did a round at least; start a new run without --resume");
  }
  std::optional<checkpoints::Checkpoint> found =
      open_run_folder(folder, resume, "round", lock, logger);
  if (!found) {
    return found;
  }
  const std::string difference = first_difference(found->header.config, expected.config);
  if (!difference.empty()) {
    throw CheckpointError(folder.string() +
                          ": --resume of another mix; in checkpoint and mix differ " + difference);
  }
  return found;
}

MixOutput::MixOutput(fs::path folder,
                     checkpoints::Header header,
                     std::size_t keep,
                     std::uint64_t rounds_done,
                     bool quiet)
    : header_(std::move(header)),
      checkpoints_(folder / "checkpoints", keep),
      rounds_(folder / "rounds.jsonl", rounds_done),
      quiet_(quiet) {}

void MixOutput::round_done(const JobTracker& tracker) {
  checkpoints::Checkpoint checkpoint;
  checkpoint.header = header_;
  checkpoint.header.update = tracker.round();
  checkpoints::StateRecorder recorder(checkpoint.state, "");
  tracker.save(recorder);
  checkpoints_.store(checkpoint, checkpoints::Standing::kLatest);
  rounds_.append(round_json(tracker));
  if (!quiet_) {
    std::fputs(round_rows(tracker, !has_header_).c_str(), stdout);
    std::fflush(stdout);
    has_header_ = true;
  }
}

}  // namespace berth::launcher
