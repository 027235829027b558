// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "run_start.hpp"

#include <chrono>
#include <string>
#include <system_error>

#include "berth/error.hpp"

#include "checkpoints/run_folder.hpp"

namespace berth::launcher {

namespace fs = std::filesystem;

namespace {

/// Whether nothing is in the folder but the empty log of a run that ended before its first update.
bool is_unused(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".jsonl" || entry.file_size(error) != 0) {
      return false;
    }
  }
  return !error;
}

}  // namespace

std::optional<checkpoints::Checkpoint> open_run_folder(const fs::path& folder,
                                                       bool resume,
                                                       std::string_view unit,
                                                       std::optional<FolderLock>& lock,
                                                       Logger& logger) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw InputError(folder.string() + ": cannot create the folder: " + error.message());
  }
  lock.emplace(folder, std::chrono::seconds(resume ? 10 : 0), logger);
  if (!resume && !is_unused(folder)) {
    throw InputError(folder.string() +
                     ": not empty; expected a new folder; continue the run in "
                     "it by --resume, or choose another --out");
  }
  if (!resume) {
    return std::nullopt;
  }
  std::optional<checkpoints::Checkpoint> found =
      checkpoints::RunFolder(folder / "checkpoints", 1).load_latest(logger);
  if (!found) {
    logger.info("no checkpoint yet; starting from " + std::string(unit) + " 0",
                {{"folder", folder.string()}});
  }
  return found;
}

}  // namespace berth::launcher
