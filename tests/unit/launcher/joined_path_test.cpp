// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/run_program.hpp"

// The joined path of docs/planning.md: a plan, its stages as graphs, placements of them by
// annealing, a policy trained on them, and placements by that policy.
namespace berth::launcher {
namespace {

using berth::testing::ProgramResult;
using berth::testing::run_berth;
using nlohmann::json;

class JoinedPath : public ::testing::Test {
 protected:
  JoinedPath() : folder_(::testing::TempDir() + "berth_joined_" + std::to_string(getpid())) {}
  ~JoinedPath() override { std::filesystem::remove_all(folder_); }

  // Seconds of stage q by one policy.
  [[nodiscard]] double placed(std::size_t q, const std::string& policy) const {
    const std::string stem = folder_ + "/stage" + std::to_string(q);
    const ProgramResult result = run_berth("place '" + stem + ".graph.json' --topology '" + stem +
                                           ".topology.json' --policy " + policy + " --json");
    EXPECT_EQ(result.exit_code, 0) << policy << ": " << result.standard_error;
    return result.exit_code == 0
               ? json::parse(result.standard_output).at("makespan_seconds").get<double>()
               : 0.0;
  }

  std::string folder_;
};

TEST_F(JoinedPath, FromAPlanToATrainedPlacement) {
  const ProgramResult planned =
      run_berth("plan '" BERTH_SOURCE_DIR
                "/datasets/models/small-llama.json' --cluster h100-node-4 --global-batch 16 "
                "--max-micro-batch 1 --pin tp=2,pp=2,vpp=1,dp=1,recompute=none --json "
                "--stage-graphs '" +
                folder_ + "'");
  ASSERT_EQ(planned.exit_code, 0) << planned.standard_error;
  const json stages = json::parse(planned.standard_output).at("stages");
  ASSERT_EQ(stages.size(), 2U);

  const ProgramResult trained = run_berth("train '" + folder_ + "/campaign.toml' --out '" +
                                          folder_ + "/run' --updates 12 --rollouts 8");
  ASSERT_EQ(trained.exit_code, 0) << trained.standard_error;

  for (std::size_t q = 1; q <= 2; ++q) {
    const json& seconds = stages[q - 1].at("seconds");
    const double pass = seconds.at("forward").get<double>() + seconds.at("backward").get<double>();
    const double listed = placed(q, "heft");
    const double annealed = placed(q, "'annealing(simulations=5000)'");
    const double learned = placed(q, "doppler --checkpoint '" + folder_ + "/run'");
    // The planner adds its collectives up; a placement may hide some of them.
    EXPECT_GT(annealed, 0.7 * pass);
    EXPECT_LT(annealed, 1.1 * pass);
    EXPECT_LE(annealed, listed * (1.0 + 1e-9)) << "annealing starts from list schedules";
    EXPECT_GT(learned, 0.7 * pass);
    EXPECT_LE(learned, listed * (1.0 + 1e-9)) << "a campaign starts from incumbents";
  }
}

}  // namespace
}  // namespace berth::launcher
