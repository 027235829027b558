// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execute/mix.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "berth/error.hpp"

namespace berth::launcher {
namespace {

class MixFile : public ::testing::Test {
 protected:
  MixFile() : file_(::testing::TempDir() + "berth_mix_" + std::to_string(getpid()) + ".toml") {}
  ~MixFile() override { std::filesystem::remove(file_); }

  Mix read(const std::string& text) const {
    std::ofstream(file_) << text;
    Mix mix = read_mix(file_);
    check_mix(mix);
    return mix;
  }
  std::string refusal(const std::string& text) const {
    try {
      static_cast<void>(read(text));
    } catch (const InputError& error) {
      return std::string(error.what()).substr(file_.size());
    }
    return "accepted";
  }

  std::string file_;
};

constexpr const char* kNode = "[[nodes]]\nname = \"a\"\n";
constexpr const char* kJob = "[[jobs]]\nname = \"j\"\nmodel = \"m\"\nsteps = 5\n";

TEST_F(MixFile, HoldsNodesJobsAndTheOptionsOfModels) {
  const Mix mix = read(R"(slot_steps = 10
seed = 7
merge_weights = "inverse-validation-loss"
merge_optimizer = "reset"
merge_counters = "sum/copies"
nodes = [{ name = "a", gflops = 4, threads = 2, duty = 0.5 }, { gflops = 2, gbps = 8 }]
[[jobs]]
model = "digits-mlp"
epochs = 2.5
hidden = 12
data = "../d.csv"
[[jobs]]
name = "other"
model = "x"
steps = 9
seed = 40
)");

  EXPECT_EQ(mix.seed(), 7U);
  EXPECT_TRUE(mix.is_step_counted());
  EXPECT_EQ(mix.merge_rule(), (MergeRule{MergeWeights::kInverseValidationLoss, true, true}));
  ASSERT_EQ(mix.nodes.size(), 2U);
  EXPECT_EQ(mix.nodes[0].gbps, 4.0);
  EXPECT_EQ(mix.nodes[0].threads, 2U);
  EXPECT_EQ(mix.nodes[0].duty, 0.5);
  EXPECT_EQ(mix.nodes[1].name, "node1");
  EXPECT_EQ(mix.nodes[1].gbps, 8.0);
  ASSERT_EQ(mix.jobs.size(), 2U);
  EXPECT_EQ(mix.jobs[0].name, "job0");
  EXPECT_EQ(mix.jobs[0].epochs, 2.5);
  EXPECT_EQ(mix.jobs[0].seed, 0U);
  ASSERT_EQ(mix.jobs[0].settings.size(), 2U);
  EXPECT_EQ(mix.jobs[1].seed, 40U);
  for (const ModelSetting& setting : mix.jobs[0].settings) {
    const std::string expected =
        (std::filesystem::path(file_).parent_path().parent_path() / "d.csv").string();
    EXPECT_EQ(setting.text, setting.name == "data" ? expected : "12");
  }
}

TEST_F(MixFile, RefusesWhatItDoesNotKnowOrNeedsNamingTheLine) {
  const std::string nodes = kNode;
  const std::string jobs = kJob;
  EXPECT_EQ(refusal("slot_stepz = 1\n" + nodes + jobs),
            ":1: unknown key 'slot_stepz'; did you mean 'slot_steps'?");
  EXPECT_EQ(refusal("slot_steps = 1\n" + nodes + "speed = 3\n" + jobs).substr(0, 4), ":4: ");
  EXPECT_EQ(refusal("slot_steps = 1\n" + jobs), ": no nodes; expected at least one [[nodes]]");
  EXPECT_EQ(refusal("slot_steps = 1\n" + nodes), ": no jobs; expected at least one [[jobs]]");
  EXPECT_EQ(refusal("slot_steps = 1\n" + nodes + nodes + jobs),
            ": two nodes are called 'a'; expected different names");
  EXPECT_EQ(refusal(nodes + jobs).substr(0, 41), ": neither slot_seconds nor slot_steps; ex");
  EXPECT_EQ(refusal("slot_steps = 1\nslot_seconds = 1\n" + nodes + jobs).substr(0, 36),
            ": both slot_seconds and slot_steps; ");
  EXPECT_EQ(refusal("slot_steps = 1\n" + nodes + "[[jobs]]\nmodel = \"m\"\n"),
            ":4: job 'job0' has neither steps nor epochs; expected one of them, above zero");
  EXPECT_NE(refusal("slot_steps = 1\n" + nodes + "[[jobs]]\nsteps = 3\n").find("has no model"),
            std::string::npos);
  EXPECT_NE(refusal("slot_seconds = 200\n" + nodes + jobs).find("patience of two slots"),
            std::string::npos);
  EXPECT_NE(refusal("slot_steps = -1\n" + nodes + jobs).find("from 0 to"), std::string::npos);
  EXPECT_NE(refusal("slot_steps = 1\nnodes = 3\n" + jobs).find("expected a list of tables"),
            std::string::npos);
  EXPECT_NE(refusal("slot_steps = \n").find("no TOML"), std::string::npos);
}

TEST_F(MixFile, KeepsSomeOfItsJobsWithTheirSeeds) {
  Mix mix = read(std::string("slot_steps = 1\n") + kNode + kJob +
                 "[[jobs]]\nname = \"k\"\nmodel = \"m\"\nsteps = 5\n");
  EXPECT_THROW(keep_jobs(mix, "j,l"), InputError);
  EXPECT_THROW(keep_jobs(mix, ""), InputError);

  keep_jobs(mix, "k");

  ASSERT_EQ(mix.jobs.size(), 1U);
  EXPECT_EQ(mix.jobs[0].name, "k");
  EXPECT_EQ(mix.jobs[0].seed, 1U);
}

TEST_F(MixFile, ItsJsonNamesOnlyWhatHasAnEffect) {
  const std::string text = std::string("slot_steps = 1\n") + kNode + kJob;
  const Mix mix = read(text);
  const Mix patient = read("watchdog_seconds = 7\n" + text);
  const Mix other = read("seed = 2\n" + text);

  EXPECT_EQ(mix.to_json(), patient.to_json());
  EXPECT_NE(mix.to_json(), other.to_json());
}

}  // namespace
}  // namespace berth::launcher
