// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "berth/error.hpp"
#include "berth/problem.hpp"

#include "datasets/graph_file.hpp"
#include "reference_data.hpp"
#include "unit/baselines/example_problems.hpp"

namespace berth::baselines {

/// A graph, its devices and the best makespan there is.
struct ReferenceCase {
  std::string name;
  std::shared_ptr<const PlacementProblem> problem;
  double optimum = 0.0;
  double heft = 0.0;  ///< Published HEFT makespan, where the set has one.
};

/// Columns of a set's table; unused ones are -1.
struct ReferenceTable {
  std::string file;
  std::string graphs;  ///< Folder of the graph files.
  int optimum = 2;
  int heft = -1;
  int devices = 1;
};

inline const ReferenceTable kStg{"stg/optimal.csv", "stg", 2, -1};
inline const ReferenceTable kAuckland{"auckland/sample.csv", "auckland/sample", 2, -1};
inline const ReferenceTable kHetero{"hetero_small/optimal.csv", "hetero_small", 5, 4};
inline const ReferenceTable kFlexible{"fajsp/best_known.csv", "fajsp", 5, -1, 3};
inline const ReferenceTable kJobShop{"jobshop/optimal.csv", "jobshop/instances", 5, -1, 2};

/// Every `stride`-th case whose file name begins with `prefix`, as problems in `delay`.
inline std::vector<ReferenceCase> reference_cases(const ReferenceTable& table,
                                                  Discipline discipline,
                                                  std::size_t stride = 1,
                                                  const std::string& prefix = {}) {
  std::ifstream in(reference_data() / table.file);
  std::vector<ReferenceCase> cases;
  SilentLogger logger;
  std::string line;
  std::getline(in, line);
  std::size_t row = 0;
  while (std::getline(in, line)) {
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) {
      cells.push_back(cell);
    }
    if (cells.size() < 3 || cells[0].rfind(prefix, 0) != 0 || row++ % stride != 0) {
      continue;
    }
    const Graph graph = datasets::read_graph(reference_data() / table.graphs / cells[0], logger);
    ExecutionOptions execution;
    execution.discipline = discipline;
    const auto cell = [&cells](int i) { return std::stod(cells[static_cast<std::size_t>(i)]); };
    const auto devices = static_cast<std::size_t>(cell(table.devices));
    cases.push_back({cells[0],
                     make_problem(cells[0], graph, Topology::uniform(devices), execution),
                     cell(table.optimum),
                     table.heft < 0 ? 0.0 : cell(table.heft)});
  }
  return cases;
}

/// The cases whose listed optimum is not below their lower bound.
inline std::vector<ReferenceCase> within_reach(std::vector<ReferenceCase> cases) {
  std::erase_if(cases, [](const ReferenceCase& reference) {
    return reference.problem->lower_bound > reference.optimum;
  });
  return cases;
}

/// Mean gap to the optimum, the cases solved exactly, and a failure for any makespan below it.
struct GapSummary {
  double mean_gap = 0.0;
  std::size_t exact = 0;
};

inline GapSummary measure(PlacementPolicy& policy,
                          const std::vector<ReferenceCase>& cases,
                          SearchBudget budget = {}) {
  GapSummary summary;
  for (const ReferenceCase& reference : cases) {
    const double makespan = makespan_of(policy, *reference.problem, budget);
    EXPECT_GE(makespan, reference.optimum) << reference.name;
    summary.mean_gap += makespan / reference.optimum - 1.0;
    summary.exact += makespan == reference.optimum ? 1 : 0;
  }
  summary.mean_gap /= static_cast<double>(cases.size());
  std::cout << cases.size() << " cases, mean gap " << 100.0 * summary.mean_gap << " %, exact "
            << summary.exact << "\n";
  return summary;
}

}  // namespace berth::baselines
