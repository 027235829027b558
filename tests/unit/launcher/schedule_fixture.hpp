// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_program.hpp"

namespace berth::launcher {

using berth::testing::ProgramResult;
using berth::testing::run_berth;
using nlohmann::json;

/// A folder of its own, and what a shell sees of `berth schedule`.
class ScheduleCommand : public ::testing::Test {
 protected:
  ScheduleCommand() : folder_(::testing::TempDir() + "berth_schedule_" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~ScheduleCommand() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return "'" + path(name) + "'";
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::vector<json> lines(const ProgramResult& result) {
    std::vector<json> rows;
    std::istringstream text(result.standard_output);
    for (std::string line; std::getline(text, line);) {
      rows.push_back(json::parse(line));
    }
    return rows;
  }
  /// One line on standard error, nothing on standard output, this exit code.
  static void expect_refusal(const std::string& words, int code, const std::string& part) {
    const ProgramResult result = run_berth(words);
    EXPECT_EQ(result.exit_code, code) << words << "\n" << result.standard_error;
    EXPECT_EQ(result.standard_output, "") << words;
    EXPECT_NE(result.standard_error.find(part), std::string::npos) << words << "\n"
                                                                   << result.standard_error;
    EXPECT_EQ(std::count(result.standard_error.begin(), result.standard_error.end(), '\n'), 1)
        << result.standard_error;
  }

 private:
  std::string folder_;
};

inline constexpr const char* kHeader =
    "job_id,model,batch_size,scale_factor,total_steps,priority_weight,arrival_s\n";
inline const std::string kSmall = " --cluster v100:8/4,p100:8/4,k80:8/4 --throughputs estimated ";

}  // namespace berth::launcher
