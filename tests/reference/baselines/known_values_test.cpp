// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <map>

#include <nlohmann/json.hpp>

#include "annealing.hpp"
#include "critical_path.hpp"
#include "datasets/workloads/workload_word.hpp"
#include "enumopt.hpp"
#include "exhaustive.hpp"
#include "heft.hpp"
#include "reference_cases.hpp"
#include "round_robin.hpp"

namespace berth::baselines {
namespace {

TEST(KnownValues, HeftOfEveryTextbookInstance) {
  BERTH_NEEDS_REFERENCE_DATA("hetero_small/optimal.csv");
  for (const ReferenceCase& reference : reference_cases(kHetero, Discipline::kStaticOrder)) {
    EXPECT_EQ(heft_schedule(*reference.problem).makespan(), reference.heft) << reference.name;
    EXPECT_EQ(makespan_of(*make_policy(make_heft, kHeftOptions), *reference.problem),
              reference.heft)
        << reference.name;
  }
}

TEST(KnownValues, OptimumOfEveryTextbookInstanceIsProved) {
  BERTH_NEEDS_REFERENCE_DATA("hetero_small/optimal.csv");
  for (const ReferenceCase& reference : reference_cases(kHetero, Discipline::kStaticOrder)) {
    Evaluator evaluator(*reference.problem);
    Rng rng(1);
    static_cast<void>(make_policy(make_exhaustive, kExhaustiveOptions)
                          ->place(*reference.problem, evaluator, rng));
    EXPECT_EQ(evaluator.best_makespan(), reference.optimum) << reference.name;
    EXPECT_EQ(evaluator.lower_bound(), reference.optimum) << reference.name;
  }
}

TEST(KnownValues, EnumOptOfTheWorkloadsOfDoppler) {
  // As an independent program found for permutations on the public files, in units of 1e10.
  for (const auto& [word, expected] : {std::pair{"workload:chain-mm:4", 1600.03},
                                       {"workload:ffnn:4", 84.182},
                                       {"workload:llama-block:4", 253.982},
                                       {"workload:llama-layer:4", 219.539}}) {
    ExecutionOptions execution;
    execution.discipline = Discipline::kFifo;
    const auto problem =
        make_problem(word, datasets::make_workload_of(word), Topology::uniform(4), execution);
    EXPECT_NEAR(
        makespan_of(*make_policy(make_enumopt, kEnumOptOptions), *problem) / 1e10, expected, 5e-3)
        << word;
  }
}

TEST(KnownValues, ListSchedulingOfTheStandardTaskGraphs) {
  BERTH_NEEDS_REFERENCE_DATA("stg/optimal.csv");
  const auto cases = reference_cases(kStg, Discipline::kStaticOrder);
  const auto published =
      make_policy(make_heft, kHeftOptions, {{"ties", "kahn"}, {"single_device", "false"}});

  const GapSummary plain = measure(*published, cases);
  const GapSummary ties = measure(*make_policy(make_heft, kHeftOptions), cases);

  EXPECT_EQ(plain.exact, 508U);  // as an independent program found
  EXPECT_LE(ties.mean_gap, 0.008);
}

TEST(KnownValues, ListSchedulingWithTransferCosts) {
  BERTH_NEEDS_REFERENCE_DATA("auckland/sample.csv");
  const auto cases = reference_cases(kAuckland, Discipline::kStaticOrder);
  const auto published =
      make_policy(make_heft, kHeftOptions, {{"ties", "kahn"}, {"single_device", "false"}});

  EXPECT_LE(measure(*published, cases).mean_gap, 0.153);
  EXPECT_LE(measure(*make_policy(make_heft, kHeftOptions), cases).mean_gap, 0.133);
}

TEST(KnownValues, ExhaustiveProvesTenTaskGraphsWithTransferCosts) {
  BERTH_NEEDS_REFERENCE_DATA("auckland/sample.csv");
  for (const ReferenceCase& reference :
       reference_cases(kAuckland, Discipline::kStaticOrder, 8, "10-nodes")) {
    Evaluator evaluator(*reference.problem);
    Rng rng(1);
    static_cast<void>(make_policy(make_exhaustive, kExhaustiveOptions)
                          ->place(*reference.problem, evaluator, rng));
    EXPECT_EQ(evaluator.best_makespan(), reference.optimum) << reference.name;
    EXPECT_EQ(evaluator.lower_bound(), reference.optimum) << reference.name;
  }
}

TEST(KnownValues, AnnealingWithTransferCosts) {
  BERTH_NEEDS_REFERENCE_DATA("auckland/sample.csv");
  const auto cases = reference_cases(kAuckland, Discipline::kAuto, 20);

  const GapSummary summary =
      measure(*make_policy(make_annealing, kAnnealingOptions), cases, {.simulations = 50'000});

  EXPECT_LE(summary.mean_gap, 0.02);
}

TEST(KnownValues, AnnealingOfJobShops) {
  BERTH_NEEDS_REFERENCE_DATA("jobshop/optimal.csv");
  for (const ReferenceTable& table : {kJobShop, kFlexible}) {
    const GapSummary summary = measure(*make_policy(make_annealing, kAnnealingOptions),
                                       reference_cases(table, Discipline::kAuto, 4),
                                       {.simulations = 50'000});
    EXPECT_LE(summary.mean_gap, 0.05) << table.file;
  }
}

// Of the 720 values listed, 36 are less than the lower bound of the graph; the reference tests of
// the bound refute each of them on its own.
TEST(KnownValues, AnnealingOfTheStandardTaskGraphs) {
  BERTH_NEEDS_REFERENCE_DATA("stg/optimal.csv");
  const auto cases = within_reach(reference_cases(kStg, Discipline::kAuto, 10));

  const GapSummary summary =
      measure(*make_policy(make_annealing, kAnnealingOptions), cases, {.simulations = 50'000});

  EXPECT_EQ(cases.size(), 65U);  // of 72
  EXPECT_GE(summary.exact * 100, cases.size() * 95);
}

// Three listed values that the lower bound does not refute, and the search does.
TEST(KnownValues, ExhaustiveRefutesMoreOfTheListedStandardTaskGraphs) {
  BERTH_NEEDS_REFERENCE_DATA("stg/optimal.csv");
  const std::map<std::string, double> proved = {
      {"50/rand0009.stg 4", 134.0}, {"50/rand0091.stg 8", 42.0}, {"50/rand0151.stg 2", 243.0}};
  std::size_t found = 0;
  for (const ReferenceCase& reference : reference_cases(kStg, Discipline::kStaticOrder)) {
    const auto devices = std::to_string(reference.problem->costs.num_devices);
    const auto known = proved.find(reference.name + " " + devices);
    if (known == proved.end()) {
      continue;
    }
    Evaluator evaluator(*reference.problem);
    Rng rng(1);
    static_cast<void>(make_policy(make_exhaustive, kExhaustiveOptions)
                          ->place(*reference.problem, evaluator, rng));
    EXPECT_EQ(evaluator.best_makespan(), known->second) << known->first;
    EXPECT_EQ(evaluator.lower_bound(), known->second) << known->first;
    EXPECT_GT(known->second, reference.optimum) << known->first;
    ++found;
  }
  EXPECT_EQ(found, proved.size());
}

/// The devices of golden.json: one comma-separated digit an op.
std::vector<DeviceId> devices_of(const nlohmann::json& assignment) {
  std::vector<DeviceId> devices;
  for (const char c : assignment.get<std::string>()) {
    if (c != ',') {
      devices.push_back(to_id<DeviceId>(c - '0'));
    }
  }
  return devices;
}

TEST(KnownValues, DeterministicPlacementsOfTheDopplerGraphs) {
  BERTH_NEEDS_REFERENCE_DATA("doppler/golden.json");
  std::ifstream in(reference_data() / "doppler/golden.json");
  const nlohmann::json golden = nlohmann::json::parse(in);
  SilentLogger logger;
  std::size_t compared = 0;
  for (const auto& [name_of_graph, graph] : golden.items()) {
    const std::string file = name_of_graph + ".txt";
    ExecutionOptions execution;
    execution.discipline = Discipline::kFifo;
    const auto problem =
        make_problem(file,
                     datasets::read_graph(reference_data() / "doppler" / file, logger),
                     Topology::uniform(graph.at("devices").get<std::size_t>()),
                     execution);
    const auto& assignments = graph.at("assignments");
    const auto check = [&](const char* name, PlacementPolicy& policy) {
      Evaluator evaluator(*problem);
      Rng rng(1);
      EXPECT_EQ(policy.place(*problem, evaluator, rng).device,
                devices_of(assignments.at(name).at("assignment")))
          << file << " " << name;
      ++compared;
    };
    check("round_robin_by_id", *make_policy(make_round_robin, kRoundRobinOptions));
    check("round_robin_by_topo",
          *make_policy(make_round_robin, kRoundRobinOptions, {{"order", "kahn"}}));
    check("cp_corrected_lowest_id",
          *make_policy(make_critical_path, kCriticalPathOptions, {{"ties", "lowest"}}));
  }
  EXPECT_EQ(compared, 27U);  // three on each of nine graphs
}

}  // namespace
}  // namespace berth::baselines
