// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "datasets/models/operator_file.hpp"
#include "datasets/source_text.hpp"
#include "plugins/nest/operators/list_schedule.hpp"
#include "plugins/nest/operators/nest_operators.hpp"
#include "tests/reference/nest/csv_rows.hpp"
#include "tests/reference_data.hpp"

namespace berth {
namespace {

constexpr double kMicroseconds = 1e6;

std::string key_of(const std::string& model,
                   const std::string& tensor,
                   const std::string& part,
                   const std::string& direction) {
  return model + " t" + tensor + " " + part + " " + direction;
}

// The published table of the 32 graphs by the name that the reader gives them.
std::map<std::string, CsvRow> read_table() {
  std::map<std::string, CsvRow> table;
  for (const CsvRow& row : read_csv_rows(reference_data() / "nest" / "operators.csv")) {
    table.emplace(key_of(row.at("model"), row.at("t"), row.at("part"), row.at("direction")), row);
  }
  return table;
}

class LayerOperators : public ::testing::Test {
 protected:
  void SetUp() override {
    BERTH_NEEDS_REFERENCE_DATA("nest/operators.jsonl");
    graphs_ = datasets::read_operator_file(reference_data() / "nest" / "operators.jsonl");
    table_ = read_table();
    ASSERT_EQ(graphs_.size(), 32U);
  }

  [[nodiscard]] double listed(const OperatorGraph& graph, const char* column) const {
    return std::stod(table_.at(graph.name).at(column));
  }

  std::vector<datasets::NamedOperators> graphs_;
  std::map<std::string, CsvRow> table_;
};

TEST_F(LayerOperators, BoundAndListScheduleAreThoseOfTheTable) {
  for (const datasets::NamedOperators& named : graphs_) {
    const OperatorGraph& graph = named.graph;
    const nest::OperatorOrder order = nest::order_of(graph);
    const OperatorSchedule list =
        nest::list_schedule(graph, order, nest::wants_all_cores(graph), order.tail);

    EXPECT_NO_THROW(check_operator_schedule(graph, list)) << graph.name;
    // The table has four decimals.
    EXPECT_NEAR(operator_bound(graph) * kMicroseconds, listed(graph, "lower_bound_us"), 1e-4)
        << graph.name;
    EXPECT_NEAR(sequential_seconds(graph) * kMicroseconds, listed(graph, "sequential_us"), 1e-4)
        << graph.name;
    // Simultaneous ends are told apart by rounding in one of the two programs.
    EXPECT_NEAR(list.makespan_seconds * kMicroseconds, listed(graph, "list_schedule_us"), 1e-2)
        << graph.name;
    EXPECT_LE(list.makespan_seconds, 1.013 * operator_bound(graph)) << graph.name;
  }
}

TEST_F(LayerOperators, TheIntegerProgramClosesOrCertifiesTheGap) {
  const auto scheduler = nest::make_operator_scheduler();
  for (const datasets::NamedOperators& named : graphs_) {
    const OperatorGraph& graph = named.graph;
    const OperatorSchedule found = scheduler->schedule(graph, {0.0, 1.0});

    EXPECT_NO_THROW(check_operator_schedule(graph, found)) << graph.name;
    std::printf("%-24s makespan %12.4f bound %12.4f list %12.4f best known %s\n",
                graph.name.c_str(),
                found.makespan_seconds * kMicroseconds,
                found.lower_bound_seconds * kMicroseconds,
                found.list_seconds * kMicroseconds,
                table_.at(graph.name).at("best_known_us").c_str());
    EXPECT_LE(found.makespan_seconds, found.list_seconds) << graph.name;
    EXPECT_LE(found.makespan_seconds, 1.013 * operator_bound(graph)) << graph.name;
    // A proved bound above a known schedule would be wrong. The listed values come from big-M
    // programs, whose integer tolerance of 1e-5 lets a pair overlap by a few thousandths.
    EXPECT_LE(found.lower_bound_seconds * kMicroseconds, listed(graph, "best_known_us") + 2.5e-3)
        << graph.name;
  }
}

TEST_F(LayerOperators, BertReachesTheProvenOptimumOfTheCriticalPathAndAWave) {
  const auto scheduler = nest::make_operator_scheduler();
  // The critical path is 856.3933 us forward, 721.8019 us backward. On it three independent vector
  // operators of 0.0019 us each (backward; 0.00095 us forward) wait for two vector cores: one wave
  // more than the path counts.
  for (const auto& [name, optimum] : {std::pair{"bert t1 layer fwd", 856.393333 + 0.000952},
                                      {"bert t1 layer bwd", 721.801905 + 0.001905}}) {
    for (const datasets::NamedOperators& named : graphs_) {
      if (named.graph.name == name) {
        const OperatorSchedule found = scheduler->schedule(named.graph, {0.0, 5.0});
        EXPECT_NEAR(found.makespan_seconds * kMicroseconds, optimum, 1e-4);
        EXPECT_EQ(found.certificate, Certificate::kOptimal);
      }
    }
  }
}

// Every program of the artifact's operators in LP format, in the order of the table in
// docs/planning.md. Core counts (`_cores`) make bert wait for a second wave, 0.00095 us, which is
// within GLPK's integer tolerance.
TEST_F(LayerOperators, ProgramsInLpFormatAreSolvedOrTheirGapIsProved) {
  struct Case {
    const char* name;
    double optimum;  // us; 0: not proved in this time
    double gap;      // at most: that of the list schedule where time ends the search
  };
  constexpr Case kCases[] = {{"bert_fwd_compact", 856.393333, 0.0},
                             {"bert_bwd_compact", 721.801905, 0.0},
                             {"bert_fwd_compact_cores", 856.393333, 0.0},
                             {"llama2_fwd_compact", 170249.3057, 0.0},
                             {"llama2_bwd_compact", 154704.0371, 0.0},
                             {"llama2_fwd_compact_cores", 0.0, 0.013},
                             {"gpt3_fwd_compact", 140629.8362, 0.0},
                             {"gpt3_bwd_compact", 131510.1733, 0.0},
                             {"gpt3_fwd_compact_cores", 0.0, 0.013},
                             {"mixtral_fwd_compact", 0.0, 0.013},
                             {"mixtral_bwd_compact", 0.0, 0.013}};
  const auto scheduler = nest::make_operator_scheduler();
  for (const Case& c : kCases) {
    const std::string name = c.name;
    const datasets::SourceText source =
        datasets::load_source(reference_data() / "nest" / "ilp" / (name + ".lp"));
    const ProgramAnswer answer = scheduler->solve(source.text, {0.0, c.optimum > 0.0 ? 60.0 : 2.0});

    ASSERT_TRUE(answer.feasible) << name;
    const bool cores = name.ends_with("_cores");
    const double gap = answer.objective / answer.bound - 1.0;
    std::printf("%-26s objective %12.4f bound %12.4f gap %.3f %% %s\n",
                c.name,
                answer.objective,
                answer.bound,
                100.0 * gap,
                answer.certificate == Certificate::kOptimal ? "optimal" : "time limit");
    if (c.optimum > 0.0) {
      EXPECT_EQ(answer.certificate, Certificate::kOptimal) << name;
      EXPECT_NEAR(answer.objective, c.optimum, cores ? 1e-3 : 1e-4) << name;
    }
    EXPECT_LE(gap, std::max(c.gap, 1e-6)) << name;
    // Without core counts a program is a relaxation, and its best known value is a schedule of it.
    const std::string model = name.substr(0, name.find('_'));
    const std::string way = name.find("_bwd_") != std::string::npos ? "bwd" : "fwd";
    const CsvRow& row = table_.at(key_of(model, model == "gpt3" ? "4" : "1", "layer", way));
    // Integer tolerances of big-M programs as above.
    const double known = std::stod(row.at(cores ? "best_known_us" : "best_known_relaxed_us"));
    EXPECT_LE(answer.bound, known + std::max(2.5e-3, 1e-7 * known)) << name;
    EXPECT_LE(answer.objective, std::stod(row.at("list_schedule_us")) + 1e-2) << name;
  }
}

}  // namespace
}  // namespace berth
