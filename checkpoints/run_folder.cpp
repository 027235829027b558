// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "run_folder.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <system_error>

#include "berth/error.hpp"

#include "atomic_file.hpp"
#include "checkpoint_file.hpp"

namespace berth::checkpoints {
namespace {

namespace fs = std::filesystem;

/// Fixed width: sorting by name is sorting by number.
std::string numbered_name(std::uint64_t update) {
  char name[40];
  std::snprintf(name, sizeof name, "update_%012llu.h5", static_cast<unsigned long long>(update));
  return name;
}

bool is_numbered(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with("update_") && name.ends_with(".h5") &&
         name.size() == numbered_name(0).size();
}

}  // namespace

RunFolder::RunFolder(fs::path folder, std::size_t keep) : folder_(std::move(folder)), keep_(keep) {
  BERTH_CHECK(keep_ >= 1, "at least one checkpoint is kept");
}

std::vector<fs::path> RunFolder::numbered_newest_first() const {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (is_numbered(entry.path())) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files, std::greater<>());
  return files;
}

void RunFolder::store(const Checkpoint& checkpoint, Standing standing) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw RunError(folder_.string() + ": cannot create: " + error.message());
  }
  const fs::path file = folder_ / numbered_name(checkpoint.header.update);
  write_checkpoint(checkpoint, file);
  link_atomically(file, folder_ / "latest.h5");
  if (standing == Standing::kLatestAndBest) {
    link_atomically(file, folder_ / "best.h5");
  }
  std::size_t kept = 0;
  for (const fs::path& old : numbered_newest_first()) {
    // Numbers above the one just stored are left over from before a fallback: not this run's.
    const bool is_ahead = old > file;
    kept += is_ahead ? 0 : 1;
    if (is_ahead || kept > keep_) {
      fs::remove(old, error);
    }
  }
}

std::optional<Checkpoint> RunFolder::load_latest(Logger& logger) const {
  std::vector<fs::path> candidates = {folder_ / "latest.h5"};
  std::ranges::copy(numbered_newest_first(), std::back_inserter(candidates));
  if (!fs::exists(candidates[0])) {
    candidates.erase(candidates.begin());
  }
  std::string first_reason;
  for (const fs::path& candidate : candidates) {
    try {
      Checkpoint checkpoint = read_checkpoint(candidate);
      if (!first_reason.empty()) {
        logger.warning("continuing from the previous checkpoint",
                       {{"file", candidate.string()}, {"update", checkpoint.header.update}});
      }
      return checkpoint;
    } catch (const CheckpointError& error) {
      logger.warning(std::string("checkpoint refused: ") + error.what());
      first_reason = first_reason.empty() ? error.what() : first_reason;
    }
  }
  if (!candidates.empty()) {
    throw CheckpointError(first_reason + "; no other checkpoint in '" + folder_.string() +
                          "' is intact");
  }
  return std::nullopt;
}

}  // namespace berth::checkpoints
