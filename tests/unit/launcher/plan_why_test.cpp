// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/run_program.hpp"

// What --why says, recomputed from plans that are made anew with the choice pinned.
namespace berth::launcher {
namespace {

using berth::testing::ProgramResult;
using berth::testing::run_berth;
using nlohmann::json;

constexpr const char* kCase =
    "llama3-8b --cluster h100-fattree-8 --global-batch 32 --max-context 1 --max-micro-batch 2 ";

std::string percent(double share) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * share);
  return text;
}

std::vector<json> plans(const std::string& words) {
  const ProgramResult result = run_berth(std::string("plan ") + kCase + words + " --json");
  std::vector<json> all;
  std::istringstream lines(result.standard_output);
  for (std::string line; std::getline(lines, line);) {
    all.push_back(json::parse(line));
  }
  return all;
}

double load_of(const json& stage) {
  double load = 0.0;
  for (const char* part : {"forward", "backward", "recompute", "transfer", "zero"}) {
    load += stage.at("seconds").at(part).get<double>();
  }
  return load;
}

class PlanWhy : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const ProgramResult result = run_berth(std::string("plan ") + kCase + "--why");
    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
    text_ = result.standard_output;
    best_ = plans("").at(0);
    seconds_ = best_.at("seconds_per_batch").get<double>();
  }

  // Lines from the one that starts with `title` to the next that is not indented like them.
  [[nodiscard]] static std::vector<std::string> lines_after(const std::string& title) {
    std::vector<std::string> found;
    std::istringstream lines(text_);
    bool here = false;
    for (std::string line; std::getline(lines, line);) {
      if (here && line.empty()) {
        break;
      }
      if (here) {
        found.push_back(line);
      }
      here = here || line.starts_with(title);
    }
    return found;
  }

  inline static std::string text_;
  inline static json best_;
  inline static double seconds_ = 0.0;
};

TEST_F(PlanWhy, TheSlowestStageAndTheFullestDeviceBind) {
  double slowest = 0.0;
  double sum = 0.0;
  std::size_t at = 0;
  const json& stages = best_.at("stages");
  for (std::size_t q = 0; q < stages.size(); ++q) {
    sum += load_of(stages[q]);
    if (load_of(stages[q]) > slowest) {
      slowest = load_of(stages[q]);
      at = q;
    }
  }
  const double above = slowest / (sum / static_cast<double>(stages.size())) - 1.0;
  EXPECT_NE(text_.find("time: stage " + std::to_string(at + 1) + " is the slowest"),
            std::string::npos)
      << text_;
  EXPECT_NE(text_.find(percent(above) + " above the mean"), std::string::npos) << text_;

  const auto fullest = best_.at("fullest_stage").get<std::size_t>();
  double bytes = 0.0;
  for (const auto& [part, value] : stages[fullest].at("bytes").items()) {
    bytes += value.get<double>();
  }
  constexpr double kMemory = 80.0 * 1024 * 1024 * 1024;
  EXPECT_EQ(best_.at("chunks"), 1) << "else chunks share a device, and one stage is not all of it";
  EXPECT_NEAR(bytes / kMemory, best_.at("fullest_share").get<double>(), 1e-9);
  EXPECT_NE(text_.find("memory: stage " + std::to_string(fullest + 1) + " fills " +
                       percent(bytes / kMemory)),
            std::string::npos)
      << text_;
}

TEST_F(PlanWhy, EveryOtherChoiceCostsWhatAPlanWithItPinnedCosts) {
  std::size_t checked = 0;
  for (const std::string& line : lines_after("choosing otherwise:")) {
    const std::string pin = line.substr(0, line.find(' '));
    if (pin.find('=') == std::string::npos) {
      continue;  // head of the table
    }
    const std::vector<json> pinned = plans("--pin " + pin);
    if (pinned.empty()) {
      EXPECT_NE(line.find("no plan fits"), std::string::npos) << line;
    } else {
      const double loss = pinned[0].at("seconds_per_batch").get<double>() / seconds_ - 1.0;
      EXPECT_GE(loss, -1e-9) << "a pin made the plan faster: " << line;
      EXPECT_NE(line.find("+" + percent(loss)), std::string::npos) << line << " against " << loss;
    }
    ++checked;
  }
  EXPECT_GE(checked, 8U) << text_;
}

TEST_F(PlanWhy, TheNextBestPlansAreThoseOfTopK) {
  const std::vector<json> top = plans("--top-k 6");
  const std::vector<std::string> lines = lines_after("next best:");
  ASSERT_EQ(top.size(), 6U);
  ASSERT_EQ(lines.size(), 5U) << text_;
  for (std::size_t k = 1; k < top.size(); ++k) {
    const double loss = top[k].at("seconds_per_batch").get<double>() / seconds_ - 1.0;
    EXPECT_EQ(lines[k - 1].find("  +" + percent(loss) + "  "), 0U) << lines[k - 1];
    EXPECT_GE(loss, 0.0);
  }
}

}  // namespace
}  // namespace berth::launcher
