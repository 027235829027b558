// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// What is refused before any work, because it would be done twice, overwritten or compared with
// itself; and what help and tables say.

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "run_program.hpp"

namespace berth::launcher {
namespace {

using berth::testing::ProgramResult;
using berth::testing::run_berth;

constexpr const char* kRandom = "random:layered:10 --topology uniform:2 ";

void expect_refusal(const std::string& words, const std::string& line) {
  const ProgramResult result = run_berth(words);
  EXPECT_EQ(result.exit_code, 2) << words;
  EXPECT_EQ(result.standard_error, "berth: " + line + "\n") << words;
  EXPECT_EQ(result.standard_output, "") << words;
}

/// Empty lines that follow another empty line, or end the text.
int idle_lines(const std::string& text) {
  int found = text.ends_with("\n\n") ? 1 : 0;
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos; ++at) {
    ++found;
  }
  return found;
}

TEST(RefusedWords, OptionsThatAGeneratedGraphDoesNotHeed) {
  const std::string out = " --out " + ::testing::TempDir() + "berth_unheeded.json";
  expect_refusal("graph generate llama-model --layers 4" + out,
                 "--layers: 'llama-model' does not heed it, layered graphs alone do; expected "
                 "--extents l12 for twelve layers");
  expect_refusal("graph generate ffnn --seed 4" + out,
                 "--seed: 'ffnn' does not heed it, layered graphs alone do");
  expect_refusal("graph generate layered --devices 8" + out,
                 "--devices: 'layered' does not heed it, workloads alone do");
  const ProgramResult unknown = run_berth("graph generate layred --ops 50" + out);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.standard_error.find("unknown workload 'layred'"), std::string::npos)
      << unknown.standard_error;
}

TEST(RefusedWords, ExtentsAreCalledSo) {
  expect_refusal("graph generate llama-model --extents l0 --out x.json",
                 "--extents: extents 'l0': expected axis letters, each once and with a number from "
                 "1 (e.g. 's2n4')");
}

TEST(RefusedWords, APolicyIsComparedOnceUnlessItsOptionsDiffer) {
  const std::string compare = std::string("compare ") + kRandom + "--policies ";
  expect_refusal(compare + "mct,heft,heft",
                 "--policies: 'heft' is given twice; expected each once");
  expect_refusal(compare + "'annealing(simulations=9), mct, annealing(simulations=9)'",
                 "--policies: 'annealing(simulations=9)' is given twice; expected each once");
  const ProgramResult variants =
      run_berth(compare + "'annealing(simulations=9),annealing(simulations=8),annealing' --json");
  EXPECT_EQ(variants.exit_code, 0) << variants.standard_error;
}

TEST(RefusedWords, APolicyIsNotComparedWithItselfAlone) {
  const std::string compare = std::string("compare ") + kRandom + "--policies mct --against mct";
  for (const char* form : {"", " --json"}) {
    expect_refusal(
        compare + form,
        "--against 'mct': the only one of --policies; expected another policy beside it");
  }
}

TEST(RefusedWords, APlannerIsBenchedOnce) {
  expect_refusal("bench nest --quick --planners nest,uniform,nest",
                 "--planners: 'nest' is given twice; expected each once");
}

TEST(RefusedWords, TwoOutputsAreTwoFilesHoweverTheyAreWritten) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                       ("berth_two_outputs_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "real");
  std::filesystem::create_directory_symlink(folder / "real", folder / "link");
  const std::string file = (folder / "real/x.json").string();
  struct Command {
    const char* words;
    const char* first;
    const char* second;
  };
  for (const Command& command :
       {Command{"place random:layered:10 --topology uniform:2 --policy heft", "out", "trace"},
        Command{"plan llama3-8b --cluster h100-node-8", "out", "report"},
        Command{"plan llama3-8b --cluster h100-node-8", "trace", "galvatron"},
        Command{"calibrate workload:chain-mm:2:physical --topology uniform:2", "out", "graph-out"},
        Command{"schedule generated:3 --cluster v100:4", "csv", "report"}}) {
    for (const std::string& other : {file,
                                     (folder / "real/./x.json").string(),
                                     (folder / "link/../real/x.json").string(),
                                     (folder / "link/x.json").string()}) {
      expect_refusal(std::string(command.words) + " --" + command.first + " '" + file + "' --" +
                         command.second + " '" + other + "'",
                     std::string("--") + command.first + " and --" + command.second + ": both " +
                         other + "; expected two files");
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder / "real"));
  std::filesystem::remove_all(folder);
}

TEST(RefusedWords, OutputsAreTriedBeforeTheWork) {
  const std::string folder = ::testing::TempDir();
  for (const char* option : {"--out", "--trace"}) {
    const ProgramResult result =
        run_berth(std::string("place ") + kRandom + "--policy no-such-policy " + option + " '" +
                  folder + ".'");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.standard_error.find("is a folder; expected a file to write"),
              std::string::npos)
        << result.standard_error;
  }
}

TEST(Help, ShowsTheModelThatACommandTakesByItself) {
  const auto shows = [](const std::string& command, const std::string& model) {
    return run_berth(command + " --help").standard_output.find("(=" + model + ")") !=
           std::string::npos;
  };
  for (const char* command : {"place", "compare", "simulate"}) {
    EXPECT_TRUE(shows(command, "delay")) << command;
  }
  for (const char* command : {"execute", "calibrate"}) {
    EXPECT_TRUE(shows(command, "links or pull")) << command;
    EXPECT_FALSE(shows(command, "delay")) << command;
  }
}

TEST(Tables, HaveOneEmptyLineBetweenThemAndNoneAtTheEnd) {
  for (const std::string& words :
       {std::string("compare ") + kRandom + "--policies mct,heft",
        std::string("compare ") + kRandom + "--policies mct,heft --against mct",
        std::string("compare random:layered:9 ") + kRandom + "--policies mct,heft",
        std::string("compare random:layered:9 ") + kRandom + "--policies mct,heft --against mct",
        std::string("graph info random:layered:10"),
        std::string("graph info random:layered:10 random:chains:10"),
        std::string("place ") + kRandom + "--policy mct"}) {
    const ProgramResult result = run_berth(words);
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    EXPECT_EQ(idle_lines(result.standard_output), 0) << words << "\n" << result.standard_output;
  }
  const std::string two = run_berth("graph info random:layered:9 random:chains:9").standard_output;
  EXPECT_NE(two.find("\n\nkey"), std::string::npos) << two;
}

}  // namespace
}  // namespace berth::launcher
