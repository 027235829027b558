// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "doppler_bench/methods.hpp"
#include "doppler_bench/published_doppler.hpp"
#include "doppler_bench/spread.hpp"
#include "doppler_bench/svg_chart.hpp"
#include "doppler_bench/trainer.hpp"
#include "run_program.hpp"

namespace berth::launcher {
namespace {

using berth::testing::ProgramResult;
using berth::testing::run_berth;
using nlohmann::json;

std::vector<json> lines(const ProgramResult& result) {
  std::vector<json> rows;
  std::istringstream text(result.standard_output);
  for (std::string line; std::getline(text, line);) {
    rows.push_back(json::parse(line));
  }
  return rows;
}

TEST(Spread, IsMeanAndSampleDeviation) {
  // Mean 4; squares 4 + 0 + 4 over 2.
  const double values[] = {2.0, 4.0, 6.0};

  EXPECT_EQ(spread_text(spread_of(values)), "4.000 ±2.0");
  EXPECT_EQ(spread_text(spread_of(std::span(values, 1))), "2.000");
  EXPECT_EQ(spread_text(Spread{}), "-");
  EXPECT_EQ(seeds_text(3), "mean ±standard deviation over 3 seeds");
  EXPECT_EQ(seeds_text(1), "one seed");
}

TEST(MainMethods, LeaveTheSlowOutOfAQuickRunUnlessNamed) {
  BenchSettings settings;
  EXPECT_EQ(main_methods(settings).size(), methods().size());
  EXPECT_EQ(left_out_methods(settings), "");

  settings.quick = true;
  EXPECT_EQ(main_methods(settings).size(), methods().size() - 2);
  EXPECT_EQ(left_out_methods(settings), "placeto, placeto-once");

  settings.methods = {"placeto-once", "heft"};
  EXPECT_EQ(main_methods(settings).size(), 2U);
  EXPECT_EQ(left_out_methods(settings), "");
}

TEST(SvgChart, DrawsAPolylineForEachCurveAndEscapesText) {
  const Chart chart{"a < b", "x", "y", {{"one", {{0, 1}, {1, 3}}}, {"two", {{0, 2}, {1, 2}}}}};

  const std::string svg = svg_chart(chart);

  // x from 70 to 860 - 230, y from 380 - 50 up to 34; two is half-way up.
  EXPECT_NE(svg.find("points=\"70.0,330.0 630.0,34.0 \""), std::string::npos) << svg;
  EXPECT_NE(svg.find("points=\"70.0,182.0 630.0,182.0 \""), std::string::npos) << svg;
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
}

TEST(SvgChart, WithoutPointsSaysSo) {
  EXPECT_NE(svg_chart({"empty", "x", "y", {{"none", {}}}}).find("no points"), std::string::npos);
}

TEST(Section, PrintsEachPartAsSoonAsItIsThere) {
  const auto printed = [](const auto& action) {
    ::testing::internal::CaptureStdout();
    action();
    return ::testing::internal::GetCapturedStdout();
  };
  std::optional<Section> text;
  EXPECT_EQ(printed([&] { text.emplace(SectionForm::kText, "scaling"); }), "scaling\n");
  EXPECT_EQ(printed([&] { text->note("one seed"); }), "one seed\n");
  EXPECT_EQ(printed([&] { text->line({{"ops", 3}}); }), "");
  const std::string table = printed([&] { text->table("seconds", {{"ops"}, {"100"}}); });
  EXPECT_EQ(table.find("\nseconds\nops\n"), 0U) << table;
  EXPECT_EQ(text->tables().size(), 1U);

  std::optional<Section> lines;
  EXPECT_EQ(printed([&] { lines.emplace(SectionForm::kLines, "scaling"); }), "");
  EXPECT_EQ(printed([&] { lines->line({{"ops", 3}}); }), "{\"ops\":3}\n");
  EXPECT_EQ(printed([&] { lines->table("seconds", {{"ops"}, {"100"}}); }), "");

  EXPECT_EQ(printed([&] {
              Section silent(SectionForm::kSilent, "scaling");
              silent.note("one seed");
              silent.line({{"ops", 3}});
              silent.table("seconds", {{"ops"}, {"100"}});
            }),
            "");
}

TEST(PlanTraining, SpendsAtMostTheBudget) {
  for (const std::uint64_t budget : {7U, 40U, 200U, 4000U, 100000U}) {
    for (const std::uint64_t cost : {1U, 66U}) {
      for (const double share : {0.0, 0.1, 1.0}) {
        const TrainingPlan plan = plan_training(budget, cost, share);
        const std::uint64_t spent =
            plan.rollouts * (plan.stages[0].updates + cost * plan.stages[1].updates);
        EXPECT_GE(plan.updates(), 1U) << budget << " " << cost << " " << share;
        EXPECT_LE(spent, budget) << budget << " " << cost << " " << share;
      }
    }
  }
}

TEST(Published, NumbersAreThoseOfThePaper) {
  EXPECT_EQ(published_milliseconds("critical-path", "ffnn"), 217.8);
  EXPECT_EQ(published_milliseconds("doppler", "llama-layer"), 167.0);
  EXPECT_EQ(published_milliseconds("heft", "ffnn"), 0.0);
}

TEST(BenchDoppler, MainTableHoldsBoundsAndBudgets) {
  const ProgramResult result = run_berth(
      "bench doppler --experiment main --workloads chain-mm --budget 24 --seeds 1 --json "
      "--executor none");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  const std::vector<json> rows = lines(result);
  std::map<std::string, std::size_t> methods;
  for (const json& row : rows) {
    ++methods[row["method"]];
    EXPECT_GE(row["milliseconds"].get<double>(),
              row["lower_bound_milliseconds"].get<double>() * (1.0 - 1e-9))
        << row.dump();
    // CRITICAL PATH is the best of 50 where the budget allows.
    EXPECT_LE(row["simulations"].get<int>(), 24) << row.dump();
  }
  EXPECT_EQ(methods.size(), 17U);
  for (const auto& [method, count] : methods) {
    EXPECT_EQ(count, 2U) << method;  // Two models.
  }
}

#ifdef BERTH_HAS_CPU
TEST(BenchDoppler, MeasuresWhatEachStageFindsOnTheCoresOfThisHost) {
  const ProgramResult result = run_berth(
      "bench doppler --experiment main,ablation --workloads chain-mm --budget 20 --seeds 1 "
      "--methods heft,doppler --json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  std::map<std::string, std::vector<std::string>> measured;
  for (const json& row : lines(result)) {
    if (row.contains("runs_seconds")) {
      measured[row["experiment"]].push_back(row["method"]);
      EXPECT_EQ(row["runs_seconds"].size(), 3U) << row.dump();
      EXPECT_GT(row["median_milliseconds"].get<double>(), 0.0) << row.dump();
    }
  }
  EXPECT_EQ(measured["measured"], (std::vector<std::string>{"heft", "doppler-sim", "doppler-sys"}));
  EXPECT_EQ(measured["measured-stages"],
            (std::vector<std::string>{"real", "imitation, real", "simulation, real", "all three"}));
}
#endif

TEST(BenchDoppler, AblationDrawsLearningCurves) {
  const std::string page = ::testing::TempDir() + "berth_ablation.html";
  const ProgramResult result = run_berth(
      "bench doppler --experiment ablation --workloads chain-mm --budget 20 --seeds 2 --executor "
      "none --html " +
      page);

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_NE(result.standard_output.find("one policy over pairs"), std::string::npos);
  std::stringstream html;
  html << std::ifstream(page).rdbuf();
  std::size_t curves = 0;
  for (std::size_t at = 0; (at = html.str().find("<polyline", at)) != std::string::npos; ++at) {
    ++curves;
  }
  EXPECT_EQ(curves, 7U);
}

TEST(BenchDoppler, QuickScalingTransferAndLargeRun) {
  const ProgramResult result =
      run_berth("bench doppler --quick --experiment transfer,scaling,large --json");

  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  std::map<std::string, std::size_t> experiments;
  for (const json& row : lines(result)) {
    ++experiments[row["experiment"]];
  }
  EXPECT_EQ(experiments["transfer"], 3U);
  EXPECT_EQ(experiments["scaling"], 4U);
  EXPECT_EQ(experiments["large"], 4U * 7U);  // kinds of graphs, contestants
}

TEST(BenchDoppler, NamesWhatItDoesNotKnow) {
  const ProgramResult method = run_berth("bench doppler --methods anealing");
  EXPECT_EQ(method.exit_code, 2);
  EXPECT_NE(method.standard_error.find("did you mean 'annealing'?"), std::string::npos)
      << method.standard_error;
  const ProgramResult experiment = run_berth("bench doppler --experiment mian");
  EXPECT_EQ(experiment.exit_code, 2);
  EXPECT_NE(experiment.standard_error.find(
                "--experiment: 'mian'; expected all, main, ablation, transfer, scaling, large"),
            std::string::npos)
      << experiment.standard_error;
  const ProgramResult workload = run_berth("bench doppler --workloads ffnn,chian-mm");
  EXPECT_EQ(workload.exit_code, 2);
  EXPECT_NE(workload.standard_error.find("chian-mm"), std::string::npos) << workload.standard_error;
  EXPECT_EQ(workload.standard_output, "");
}

TEST(BenchDoppler, ListsItsMethodsWhereNoneIsNear) {
  const ProgramResult method = run_berth("bench doppler --methods zzzzzzzzz");
  EXPECT_EQ(method.exit_code, 2);
  EXPECT_NE(method.standard_error.find("expected some of critical-path, heft, mct"),
            std::string::npos)
      << method.standard_error;
  const ProgramResult experiment = run_berth("bench doppler --experiment all,main");
  EXPECT_EQ(experiment.exit_code, 2);
  EXPECT_NE(experiment.standard_error.find("'all,main'; expected all alone, or a list without it"),
            std::string::npos)
      << experiment.standard_error;
}

TEST(BenchDoppler, RefusesOptionsThatNoChosenExperimentHeeds) {
  const ProgramResult executor =
      run_berth("bench doppler --experiment scaling,large --executor cpu");
  EXPECT_EQ(executor.exit_code, 2);
  EXPECT_EQ(executor.standard_error.find("berth: --executor: only --experiment main and ablation"),
            0U)
      << executor.standard_error;
  const ProgramResult methods = run_berth("bench doppler --experiment ablation --methods heft");
  EXPECT_EQ(methods.exit_code, 2);
  EXPECT_EQ(methods.standard_error.find("berth: --methods: only --experiment main"), 0U)
      << methods.standard_error;
  for (const char* experiment : {"transfer", "scaling", "large", "large,transfer"}) {
    const ProgramResult workloads =
        run_berth("bench doppler --workloads ffnn --experiment " + std::string(experiment));
    EXPECT_EQ(workloads.exit_code, 2) << experiment;
    EXPECT_EQ(workloads.standard_error.find("berth: --workloads: only --experiment main and abl"),
              0U)
        << workloads.standard_error;
  }
  for (const char* experiment : {"scaling", "large"}) {
    const ProgramResult budget =
        run_berth("bench doppler --budget 9 --experiment " + std::string(experiment));
    EXPECT_EQ(budget.exit_code, 2) << experiment;
    EXPECT_EQ(budget.standard_error.find("berth: --budget: only --experiment main, ablation and"),
              0U)
        << budget.standard_error;
  }
}

TEST(BenchDoppler, RefusesAWordTwiceInAList) {
  for (const auto& [option, list, word] : {std::tuple{"experiment", "main,ablation,main", "main"},
                                           std::tuple{"methods", "heft,heft", "heft"},
                                           std::tuple{"workloads", "ffnn,chain-mm,ffnn", "ffnn"}}) {
    const ProgramResult result =
        run_berth("bench doppler --" + std::string(option) + " " + std::string(list));
    EXPECT_EQ(result.exit_code, 2) << option;
    EXPECT_EQ(result.standard_error,
              "berth: --" + std::string(option) + ": '" + word +
                  "' is given twice; expected each once\n");
    EXPECT_EQ(result.standard_output, "") << option;
  }
}

TEST(BenchDoppler, SaysWhichWorkloadsAreNotMeasured) {
  const ProgramResult nothing =
      run_berth("bench doppler --experiment main --executor cpu --workloads llama-block");
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_EQ(nothing.standard_error,
            "berth: --executor: nothing to measure, there being no size for llama-block; expected "
            "some of chain-mm, ffnn, llama-layer among --workloads\n");
  EXPECT_EQ(nothing.standard_output, "");

  // Without --executor the rest is what was asked for.
  const std::string small = "bench doppler --experiment main --budget 5 --seeds 1 --methods heft ";
  const ProgramResult rest = run_berth(small + "--workloads llama-block");
  EXPECT_EQ(rest.exit_code, 0) << rest.standard_error;
  EXPECT_NE(rest.standard_output.find("measured: nothing; there are sizes for chain-mm"),
            std::string::npos)
      << rest.standard_output;
  EXPECT_EQ(rest.standard_output.find("two devices\n"), std::string::npos);
#ifdef BERTH_HAS_CPU
  const ProgramResult some = run_berth(small + "--executor cpu --workloads llama-block,chain-mm");
  EXPECT_EQ(some.exit_code, 0) << some.standard_error;
  EXPECT_NE(some.standard_error.find("not_measured=llama-block"), std::string::npos)
      << some.standard_error;
  EXPECT_NE(some.standard_output.find("not measured, there being no size for it: llama-block"),
            std::string::npos)
      << some.standard_output;
#endif
}

TEST(BenchDoppler, TriesItsExecutorBeforeItRuns) {
  // Nothing of the main table, which comes first, is on standard output.
  const ProgramResult unknown = run_berth("bench doppler --executor foo");
  EXPECT_EQ(unknown.exit_code, 3) << unknown.standard_error;
  EXPECT_NE(unknown.standard_error.find("foo"), std::string::npos) << unknown.standard_error;
  EXPECT_EQ(unknown.standard_output, "");
  const ProgramResult open = run_berth("bench doppler --executor 'cuda('");
  EXPECT_EQ(open.exit_code, 2) << open.standard_error;
  EXPECT_NE(open.standard_error.find("executor 'cuda('"), std::string::npos) << open.standard_error;
#ifdef BERTH_HAS_CPU
  const ProgramResult option = run_berth("bench doppler --executor 'cpu(core_per_device=1)'");
  EXPECT_EQ(option.exit_code, 2) << option.standard_error;
  EXPECT_EQ(option.standard_output, "");
#endif
}

TEST(BenchDoppler, TriesItsPageBeforeItRuns) {
  const ProgramResult folder = run_berth("bench doppler --html " + ::testing::TempDir());
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_NE(folder.standard_error.find("expected a file to write"), std::string::npos)
      << folder.standard_error;
  EXPECT_EQ(folder.standard_output, "");
}

TEST(BenchDoppler, SaysFromWhichSizesItsExponentIs) {
  const ProgramResult result = run_berth("bench doppler --quick --experiment scaling");
  ASSERT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_NE(result.standard_output.find("between 100 of them and the most"), std::string::npos)
      << result.standard_output;
}

}  // namespace
}  // namespace berth::launcher
