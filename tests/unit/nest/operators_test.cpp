// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "datasets/models/operator_file.hpp"
#include "plugins/nest/operators/list_schedule.hpp"
#include "plugins/nest/operators/nest_operators.hpp"
#include "tests/error_text.hpp"

namespace berth {
namespace {

using berth::testing::error_text;

// Two matrix cores, one vector core.
OperatorGraph small_graph(std::vector<LayerOperator> operators,
                          std::vector<std::pair<std::uint32_t, std::uint32_t>> edges = {}) {
  return {"small", 2, 1, std::move(operators), std::move(edges)};
}

constexpr OperatorCore kM = OperatorCore::kMatrix;
constexpr OperatorCore kV = OperatorCore::kVector;
constexpr OperatorCore kB = OperatorCore::kBoth;

TEST(OperatorBound, IsTheLargestOfPathAndWorkOfEitherCore) {
  // Path a -> c: 3 + 4. Matrix work: (min(3, 2*5) + min(4, 2*9)) / 2 = 3.5; vector work: 8.
  const OperatorGraph graph =
      small_graph({{"a", kM, 3, 5}, {"b", kV, 8, 8}, {"c", kM, 4, 9}}, {{0, 2}});
  EXPECT_DOUBLE_EQ(operator_bound(graph), 8.0);

  // Without b the path counts.
  EXPECT_DOUBLE_EQ(operator_bound(small_graph({{"a", kM, 3, 5}, {"c", kM, 4, 9}}, {{0, 1}})), 7.0);
}

TEST(OperatorScheduler, RunsBesideEachOtherWhatMayAndAloneWhatGainsByIt) {
  // a and b on a matrix core each, c (both kinds) beside one of them; d halves its time alone.
  // d alone 5, then a, b, c: 4 with c beside a, b needing the second matrix core after c: c 1 +
  // b 3.
  const OperatorGraph graph =
      small_graph({{"a", kM, 4, 9}, {"b", kM, 3, 9}, {"c", kB, 1, 9}, {"d", kV, 10, 5}});
  const OperatorSchedule found = nest::make_operator_scheduler()->schedule(graph, {0.0, 5.0});

  // Alternative: d on the one vector core for 10, a and b beside it, c after d: 11.
  EXPECT_NEAR(found.makespan_seconds, 9.0, 1e-6);
  EXPECT_EQ(found.certificate, Certificate::kOptimal);
  EXPECT_EQ(found.exclusive, (std::vector<std::uint8_t>{0, 0, 0, 1}));
}

TEST(OperatorScheduler, TurnsExclusivityDownWhereAWindowIsFree) {
  // a needs 10 on its core whatever happens; b would take 3 alone, but its 6 fit beside a.
  const OperatorGraph graph = small_graph({{"a", kM, 10, 10}, {"b", kV, 6, 3}});
  const OperatorSchedule found = nest::make_operator_scheduler()->schedule(graph, {0.0, 5.0});

  EXPECT_NEAR(found.makespan_seconds, 10.0, 1e-9);
  EXPECT_NEAR(found.list_seconds, 13.0, 1e-9) << "the list rule always grants all cores";
}

TEST(OperatorScheduler, CountsCoresInItsBoundToo) {
  // Three operators of 2 on two matrix cores: the path says 2, the work 3, two waves take 4.
  const OperatorGraph graph = small_graph({{"a", kM, 2, 9}, {"b", kM, 2, 9}, {"c", kM, 2, 9}});
  const OperatorSchedule found = nest::make_operator_scheduler()->schedule(graph, {0.0, 5.0});

  EXPECT_NEAR(found.makespan_seconds, 4.0, 1e-6);
  EXPECT_NEAR(found.lower_bound_seconds, 4.0, 1e-5);
  EXPECT_EQ(found.certificate, Certificate::kOptimal);
}

TEST(OperatorScheduler, StopsWhereTheGapIsGoodEnough) {
  const OperatorGraph graph = small_graph({{"a", kM, 2, 9}, {"b", kM, 2, 9}, {"c", kM, 2, 9}});
  const OperatorSchedule found = nest::make_operator_scheduler()->schedule(graph, {0.5, 5.0});

  EXPECT_DOUBLE_EQ(found.lower_bound_seconds, 3.0) << "the work bound, nothing more was asked for";
  EXPECT_EQ(found.certificate, Certificate::kWithinGap);
}

TEST(OperatorScheduler, ItsProgramInLpFormatIsReadAgainAndHasItsOptimum) {
  const auto scheduler = nest::make_operator_scheduler();
  const OperatorGraph graph = small_graph({{"a", kM, 10, 10}, {"b", kV, 6, 3}, {"c", kV, 7, 2}});
  const ProgramAnswer answer = scheduler->solve(scheduler->program(graph), {0.0, 5.0});

  // b beside a (10), c alone (2); or both alone: 15; or both beside: 13.
  ASSERT_TRUE(answer.feasible);
  EXPECT_NEAR(answer.objective, 12e6, 1.0) << "microseconds";
  EXPECT_EQ(answer.certificate, Certificate::kOptimal);
}

TEST(OperatorScheduler, RefusesWhatIsNoLpFileByLine) {
  const auto scheduler = nest::make_operator_scheduler();
  EXPECT_NE(error_text<InputError>([&] {
              static_cast<void>(scheduler->solve("Minimize\n obj: x +\nnonsense", {}));
            }).find("CPLEX LP format"),
            std::string::npos);
  const ProgramAnswer none =
      scheduler->solve("Minimize\n obj: x\nSubject To\n c: x >= 2\nBounds\n x <= 1\nEnd\n", {});
  EXPECT_FALSE(none.feasible);
}

TEST(CheckOperatorSchedule, NamesTheOperatorThatBreaksTheRules) {
  const OperatorGraph graph =
      small_graph({{"a", kM, 2, 1}, {"b", kM, 2, 9}, {"c", kV, 2, 9}}, {{0, 1}});
  OperatorSchedule schedule;
  schedule.start_seconds = {0, 2, 2};
  schedule.exclusive = {0, 0, 0};
  schedule.makespan_seconds = 4;
  EXPECT_NO_THROW(check_operator_schedule(graph, schedule));

  schedule.start_seconds = {0, 1, 2};
  EXPECT_NE(error_text<InputError>([&] {
              check_operator_schedule(graph, schedule);
            }).find("operator 1 (b) starts before"),
            std::string::npos);
  schedule.start_seconds = {0, 2, 0};
  schedule.exclusive = {1, 0, 0};
  EXPECT_NE(error_text<InputError>([&] {
              check_operator_schedule(graph, schedule);
            }).find("needs all cores"),
            std::string::npos);
  schedule.exclusive = {0, 0, 0};
  schedule.makespan_seconds = 3;
  EXPECT_NE(error_text<InputError>([&] {
              check_operator_schedule(graph, schedule);
            }).find("expected the last end"),
            std::string::npos);
}

TEST(OperatorFile, IsReadStrictly) {
  const std::filesystem::path file = ::testing::TempDir() + "berth_operators.jsonl";
  const std::string head =
      R"({"model": "m", "t": 2, "part": "layer", "direction": "fwd", "tc_cores": 8, "vc_cores": 2,)";
  const auto read = [&](const std::string& rest) {
    std::ofstream(file) << head << rest << "\n";
    return datasets::read_operator_file(file);
  };
  const auto graphs = read(
      R"("ops": [{"id": 0, "name": "x", "core": "TCandVC", "one_core_us": 3, "all_cores_us": 2}],)"
      R"("edges": []})");
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_EQ(graphs[0].graph.name, "m t2 layer fwd");
  EXPECT_EQ(graphs[0].graph.operators[0].core, kB);
  EXPECT_DOUBLE_EQ(graphs[0].graph.operators[0].one_core_seconds, 3e-6);

  EXPECT_NE(error_text<InputError>([&] {
              static_cast<void>(read(R"("ops": [], "edges": []})"));
            }).find("no operators"),
            std::string::npos);
  EXPECT_NE(error_text<InputError>([&] {
              static_cast<void>(read(R"("opps": [], "edges": []})"));
            }).find("did you mean 'ops'"),
            std::string::npos);
  EXPECT_NE(
      error_text<InputError>([&] {
        static_cast<void>(read(
            R"("ops": [{"id": 0, "core": "GPU", "one_core_us": 3, "all_cores_us": 2}], "edges": []})"));
      }).find("expected TC, VC or TCandVC"),
      std::string::npos);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace berth
