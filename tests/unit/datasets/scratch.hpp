// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/logger.hpp"

#include "datasets/source_text.hpp"

namespace berth::tests {

/// Keeps the lines that are logged.
class MemoryLogger final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view line) override { lines.emplace_back(line); }
  [[nodiscard]] LogLevel level() const override { return LogLevel::kDebug; }

  std::vector<std::string> lines;
};

/// A folder of one test, removed at its end.
class Scratch {
 public:
  Scratch() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("berth-" + std::to_string(getpid()) + "-" + test->name());
    std::filesystem::create_directories(folder_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::filesystem::path write(const std::string& name, std::string_view content) const {
    std::filesystem::create_directories(path(name).parent_path());
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

 private:
  std::filesystem::path folder_;
};

/// The message of the berth::Error that `action` throws; empty if it throws none.
template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace berth::tests
