// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "campaign.hpp"

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "unit/checkpoints/sample.hpp"

namespace berth::launcher {
namespace {

using checkpoints::testing::error_of;
using checkpoints::testing::TemporaryFolder;

constexpr const char* kSmall = R"(policy = "table"
rollouts = 8
problems = [{ graph = "graphs/a.json", topology = "uniform:2" }]
[[stages]]
kind = "imitation"
updates = 10
[[stages]]
updates = 30
[table]
rate = 0.5
)";

Campaign read(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder / "c.toml") << text;
  return read_campaign(folder / "c.toml");
}

TEST(Campaign, ReadsOptionsProblemsStagesAndPolicySettings) {
  const TemporaryFolder folder;

  const Campaign campaign = read(folder, kSmall);

  EXPECT_EQ(campaign.options.integer("rollouts"), 8);
  EXPECT_EQ(campaign.options.integer("group_size"), 16);
  EXPECT_EQ(campaign.graph_path(campaign.problems.at(0)), (folder / "graphs/a.json").string());
  EXPECT_EQ(campaign.plan().updates(), 40U);
  EXPECT_EQ(campaign.plan().parts()[0], (StagePart{Stage::kImitation, 10}));
  ASSERT_EQ(campaign.policy_settings.size(), 1U);
  EXPECT_EQ(campaign.policy_settings[0].name, "rate");
  EXPECT_EQ(campaign.policy_settings[0].text, "0.5");
  EXPECT_EQ(campaign.policy_settings[0].place, (folder / "c.toml").string() + ":10");
}

TEST(Campaign, SettingsShortenItAndReachThePolicy) {
  const TemporaryFolder folder;
  Campaign campaign = read(folder, kSmall);

  apply_setting(campaign, "updates=8");
  apply_setting(campaign, "table.rate=2");
  apply_flag(campaign, "group_size", "4");

  EXPECT_EQ(campaign.plan().parts()[0].updates, 2U);
  EXPECT_EQ(campaign.plan().parts()[1].updates, 6U);
  EXPECT_EQ(campaign.policy_settings.back().text, "2");
  EXPECT_EQ(campaign.options.integer("group_size"), 4);
  EXPECT_EQ(error_of<InputError>([&] { apply_setting(campaign, "updates"); }),
            "--set updates: no 'key=value'; expected for example updates=100");
  EXPECT_EQ(error_of<InputError>([&] { apply_flag(campaign, "group_size", "0"); }),
            "--group-size: group_size: '0'; expected an integer from 1 to 1e+06");
}

TEST(Campaign, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  const std::string file = (folder / "c.toml").string();
  const auto refusal = [&](const std::string& text) {
    return error_of<InputError>([&] { static_cast<void>(read(folder, text)); });
  };

  EXPECT_EQ(refusal("[[stages]]\nupdates = 1\n").rfind(file + ": no problem; expected", 0), 0U);
  EXPECT_EQ(refusal("problems = [{graph = \"a\"}]\n"),
            file + ": no stage with updates; expected [[stages]] with kind and updates");
  EXPECT_EQ(refusal("problems = [{topology = \"a\"}]\n[[stages]]\nupdates = 1\n"),
            file + ": problem 1 has no graph; expected graph = \"FILE\"");
  EXPECT_EQ(refusal("problems = 3\n"),
            file + ":1: 'problems' is no list; expected a list of tables");
  EXPECT_EQ(refusal("a = = 3\n").rfind(file + ":1: no TOML: ", 0), 0U);
  EXPECT_EQ(error_of<InputError>([&] { static_cast<void>(read_campaign(folder / "none.toml")); }),
            (folder / "none.toml").string() + ": cannot open: No such file or directory");
}

TEST(Campaign, DifferencesThatChangeNoResultDoNotCount) {
  const std::string a = R"({"campaign":{"seed":"1","watchdog_seconds":"5"}})";

  EXPECT_EQ(first_difference(a, R"({"campaign":{"seed":"1","watchdog_seconds":"9"}})"), "");
  EXPECT_EQ(first_difference(a, R"({"campaign":{"seed":"2","watchdog_seconds":"5"}})"),
            "campaign/seed: \"1\" and \"2\"");
  EXPECT_EQ(first_difference(a, R"({"campaign":{"watchdog_seconds":"5"}})"),
            "campaign/seed: \"1\" and nothing");
}

}  // namespace
}  // namespace berth::launcher
