// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "launcher/command.hpp"
#include "scratch.hpp"

namespace berth::launcher {
namespace {

using tests::Scratch;

struct Answer {
  int code = 0;
  std::string output;
  std::string log;
};

Answer berth(const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Answer answer;
  answer.code = run_command_line(words);
  answer.output = testing::internal::GetCapturedStdout();
  answer.log = testing::internal::GetCapturedStderr();
  return answer;
}

TEST(CommandGraph, GeneratesWhatInfoThenDescribes) {
  const Scratch scratch;
  const std::string file = scratch.path("chain #1.json").string();

  ASSERT_EQ(berth({"graph", "generate", "chain-mm", "--devices", "4", "--out", file}).code, 0);
  const Answer answer = berth({"graph", "info", file, "--json"});

  ASSERT_EQ(answer.code, 0);
  const nlohmann::json line = nlohmann::json::parse(answer.output);
  EXPECT_EQ(line.at("ops"), 76);
  EXPECT_EQ(line.at("edges"), 80);
  EXPECT_EQ(line.at("sources"), 32);
  EXPECT_EQ(line.at("sinks"), 8);
  EXPECT_EQ(line.at("levels"), 5);
  EXPECT_EQ(line.at("longest_path").get<double>() / 1e10, 200.03);
  EXPECT_EQ(line.at("kinds").at("formation"), 20);
}

TEST(CommandGraph, ConvertsAndSaysWhatWouldBeLost) {
  const Scratch scratch;
  const std::string file =
      scratch.write("g.dot", "digraph { a [size=1]; b [size=2]; a -> b }").string();
  const std::string copy = scratch.path("g.json").string();

  const Answer converted = berth({"graph", "convert", file, "--out", copy, "--json"});
  EXPECT_EQ(converted.code, 0);
  EXPECT_EQ(nlohmann::json::parse(converted.output).at("ops"), 2);
  EXPECT_EQ(berth({"graph", "validate", copy}).output, copy + ": valid, 2 ops, 1 edges\n");
  const Answer refused = berth({"graph", "convert", file, "--out", copy, "--format", "doppler"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.log,
            "berth: graph 'g': DOPPLER text cannot hold time units other than 1e-13 s; write it as "
            "'berth'\n");
}

TEST(CommandGraph, ValidatesEveryFileAndExitsWithTwoIfOneIsBad) {
  const Scratch scratch;
  const std::string good = scratch.write("good.dot", "digraph { a [size=1] }").string();
  const std::string bad =
      scratch.write("bad.dot", "digraph { node [size=1]; a -> b; b -> a }").string();

  const Answer answer = berth({"graph", "validate", "absent.dot", good, bad});

  EXPECT_EQ(answer.code, 2);
  EXPECT_EQ(answer.output,
            "absent.dot: no such file or folder; expected a graph file or a folder\n" + good +
                ": valid, 1 ops, 0 edges\n" + bad +
                ": cycle of 2 ops: 'a' (op 0) -> 'b' (op 1) -> 'a' (op 0); expected an acyclic "
                "graph\n");
}

TEST(CommandGraph, NamesAWrongActionOptionOrNumber) {
  EXPECT_EQ(berth({"graph", "infos"}).log, "berth graph: 'infos'; did you mean 'info'?\n");
  EXPECT_EQ(berth({"graph"}).log,
            "berth graph: expected info, validate, convert or generate; see berth graph --help\n");
  EXPECT_EQ(berth({"graph", "generate", "layered", "--out", "x", "--ops", "-1"}).log,
            "berth: --ops: '-1'; expected an integer from 0 to 100000000\n");
  EXPECT_EQ(berth({"graph", "generate", "ffnn", "--out", "x", "--shard", "softmax"}).log,
            "berth: --shard: 'softmax'; expected OPERATION=PARTS (e.g. 'scores=n2s2')\n");
  EXPECT_EQ(berth({"graph", "info"}).code, 2);
  EXPECT_EQ(berth({"graph", "--help"}).code, 0);
}

}  // namespace
}  // namespace berth::launcher
