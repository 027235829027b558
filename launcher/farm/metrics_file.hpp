// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace berth::launcher {

/// A file of JSON lines, one an update, each written by one system call. A line that a killed run
/// left half written, and lines after the checkpoint that a run continues from, are cut off.
class MetricsFile {
 public:
  /// Keeps the first `updates` lines of the file. @throws RunError naming file and reason, also if
  /// there are fewer lines than that.
  MetricsFile(std::filesystem::path file, std::uint64_t updates);
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;
  ~MetricsFile();

  /// Adds a line. @throws RunError naming file and reason.
  void append(std::string_view json);

 private:
  std::filesystem::path file_;
  int descriptor_;
};

}  // namespace berth::launcher
