// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_program.hpp"

namespace berth::launcher {
namespace {

using berth::testing::ProgramResult;
using berth::testing::run_berth;

constexpr const char* kSmall =
    "execute workload:chain-mm:2:physical:i32j32k32l32m32 --topology uniform:2 --policies heft ";

/// No GPU for these, wherever the tests run.
constexpr const char* kBlind = "CUDA_VISIBLE_DEVICES=";

TEST(CudaExecutor, SaysInOneLineWhyThereIsNoDeviceToRunOn) {
  const ProgramResult result = run_berth(std::string(kSmall) + "--executor cuda", kBlind);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(result.standard_output.empty());
  EXPECT_EQ(std::ranges::count(result.standard_error, '\n'), 1) << result.standard_error;
  EXPECT_NE(result.standard_error.find("no GPU can be used: "), std::string::npos)
      << result.standard_error;
  EXPECT_NE(result.standard_error.find("; expected "), std::string::npos);
}

TEST(CudaExecutor, ChecksItsOptionsBeforeItLooksForDevices) {
  const ProgramResult typo =
      run_berth(std::string(kSmall) + "--executor 'cuda(logicals=4)'", kBlind);
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_NE(typo.standard_error.find("logical"), std::string::npos);
}

TEST(CudaExecutor, IsListedWithWhatKeepsItFromRunning) {
  const ProgramResult table = run_berth("plugins", kBlind);
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_NE(table.standard_output.find("executor cuda: "), std::string::npos)
      << table.standard_output;
  EXPECT_NE(table.standard_output.find("no GPU can be used"), std::string::npos);
  EXPECT_NE(table.standard_output.find("executor cpu: 1 device"), std::string::npos);
  const ProgramResult lines = run_berth("plugins --json", kBlind);
  bool seen = false;
  std::istringstream text(lines.standard_output);
  for (std::string line; std::getline(text, line);) {
    const auto row = nlohmann::json::parse(line);
    if (row.value("plugin", "") == "cuda") {
      seen = true;
      EXPECT_NE(row.at("offers").at(0).at("not_usable").get<std::string>().find("no GPU"),
                std::string::npos);
    }
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace berth::launcher
