// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "run_program.hpp"

namespace berth {
namespace {

using testing::ProgramResult;
using testing::run_berth;
using testing::run_program;

const std::string kBroken = std::string(BERTH_BINARY_DIR) + "/tests/broken_plugins";

std::string flag_for(const std::string& defect) {
  return "--plugin '" + kBroken + "/berth_" + defect + ".so'";
}

/// Rows of `berth plugins --json`, by plugin name; refused ones by file name.
nlohmann::json rows(const ProgramResult& result) {
  nlohmann::json found;
  std::istringstream lines(result.standard_output);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json row = nlohmann::json::parse(line);
    const std::filesystem::path path = row["path"].get<std::string>();
    found[row.contains("plugin") ? row["plugin"].get<std::string>() : path.filename().string()] =
        row;
  }
  return found;
}

TEST(PluginsCommand, ListsThePluginsOfTheBuildByItself) {
  const ProgramResult result = run_berth("plugins --json", "cd / && BERTH_PLUGIN_PATH=");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const nlohmann::json baselines = rows(result)["baselines"];
  EXPECT_TRUE(std::filesystem::path(baselines["path"].get<std::string>()).is_absolute());
  EXPECT_EQ(baselines["offers"][0]["interface"], "berth.placement/1");
}

TEST(CommandLine, FailsWhereItsOutputIsLost) {
  // The first is longer than a buffer of standard output, the second shorter.
  for (const char* words : {"options --markdown", "--version"}) {
    const ProgramResult result =
        run_program(std::string("'") + BERTH_BINARY_DIR + "/bin/berth' " + words + " >/dev/full");

    EXPECT_EQ(result.exit_code, 1) << words;
    EXPECT_EQ(result.standard_error, "berth: standard output: cannot write; is the disk full?\n");
  }
}

TEST(PluginsCommand, ShowsWhatWasRefusedAndWhy) {
  const ProgramResult result = run_berth("plugins --json --plugin-dir '" + kBroken + "'");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const std::string reason = rows(result)["berth_wrong_magic.so"]["refused"];
  EXPECT_NE(reason.find("another magic number"), std::string::npos) << reason;
  EXPECT_NE(run_berth("plugins --plugin-dir '" + kBroken + "'").standard_output.find(reason),
            std::string::npos)
      << "the table shows the same reason";
}

TEST(PluginsCommand, ExitsWith3ForAFileThatTheUserNamed) {
  for (const char* defect : {"no_descriptor", "other_toolchain", "undefined_symbol"}) {
    const ProgramResult result = run_berth("plugins " + flag_for(defect));

    EXPECT_EQ(result.exit_code, 3) << defect;
    EXPECT_TRUE(result.standard_error.starts_with("berth: " + kBroken)) << result.standard_error;
  }
}

TEST(PluginsCommand, ReadsThePathOfTheEnvironment) {
  const ProgramResult result =
      run_berth("plugins --json", "BERTH_PLUGIN_PATH='/nowhere:" + kBroken + "'");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_TRUE(rows(result).contains("good"));
}

TEST(PluginsCommand, NeverLooksInTheWorkingDirectory) {
  for (const char* environment :
       {"BERTH_PLUGIN_PATH=", "BERTH_PLUGIN_PATH=:", "BERTH_PLUGIN_PATH=::"}) {
    const ProgramResult result =
        run_berth("plugins --json", "cd '" + kBroken + "' && " + environment);

    ASSERT_EQ(result.exit_code, 0) << result.standard_error;
    EXPECT_FALSE(rows(result).contains("good")) << environment;
  }
}

TEST(PluginsCommand, RefusesBadUsage) {
  const ProgramResult folder = run_berth("plugins --plugin-dir /nowhere");
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_EQ(folder.standard_error, "berth: --plugin-dir: '/nowhere' is no folder\n");

  const ProgramResult word = run_berth("plugins heft");
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_EQ(word.standard_error,
            "berth plugins: 'heft' is one word too many; to load a file, give --plugin FILE\n");
}

TEST(OptionsCommand, ShowsOneAlgorithm) {
  const ProgramResult result = run_berth("options annealing --json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const nlohmann::json row = nlohmann::json::parse(result.standard_output);
  EXPECT_EQ(row["name"], "annealing");
  EXPECT_EQ(row["options"][0]["name"], "simulations");
  EXPECT_EQ(row["options"][0]["type"], "integer");
}

TEST(OptionsCommand, NamesTheNearestAlgorithm) {
  const ProgramResult result = run_berth("options anealing");

  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.standard_error,
            "berth: 'anealing' is offered by no plugin; did you mean 'annealing'?\n");
}

}  // namespace
}  // namespace berth
