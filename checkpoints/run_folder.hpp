// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "berth/logger.hpp"

#include "checkpoint.hpp"

namespace berth::checkpoints {

/// What a store makes of the checkpoint it is given.
enum class Standing : std::uint8_t { kLatest, kLatestAndBest };

/// The checkpoints of one run: `update_<number>.h5`, of which the newest `keep` stay; `latest.h5`
/// is another name of the newest, `best.h5` of the best, which stays too.
class RunFolder {
 public:
  /// @param keep Number of numbered checkpoints kept, >= 1; the best one does not count.
  RunFolder(std::filesystem::path folder, std::size_t keep);

  /// Writes one, renames, removes the ones too many. At every moment latest.h5 is intact.
  /// @throws RunError as write_checkpoint().
  void store(const Checkpoint& checkpoint, Standing standing) const;

  /// The newest checkpoint that is intact: latest.h5, or else the numbered ones from the newest
  /// on, with a warning for each that is refused. Empty if there is none at all.
  /// @throws CheckpointError if there are some and all are refused, with the first reason.
  [[nodiscard]] std::optional<Checkpoint> load_latest(Logger& logger) const;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return folder_; }

 private:
  [[nodiscard]] std::vector<std::filesystem::path> numbered_newest_first() const;

  std::filesystem::path folder_;
  std::size_t keep_;
};

}  // namespace berth::checkpoints
