// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <filesystem>

#include "berth/logger.hpp"

namespace berth::launcher {

/// Holds a run's folder against a second run that would write into it, until destruction or death
/// of the process. Leaves no file behind.
class FolderLock {
 public:
  /// Waits up to `patience`: a run that was just killed may still be going down.
  ///
  /// @throws InputError if another process holds the folder, or it cannot be opened. A file system
  /// without locks is warned of.
  FolderLock(const std::filesystem::path& folder,
             std::chrono::milliseconds patience,
             Logger& logger);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_;
};

}  // namespace berth::launcher
