// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "berth/graph_levels.hpp"
#include "berth/problem.hpp"

#include "graph_file.hpp"
#include "reference_data.hpp"

namespace berth {
namespace {

/// Columns of a table of known optima that has one header line.
struct Table {
  std::string folder;
  std::string csv;
  std::string prefix;  ///< Of the graph files, below the folder.
  std::size_t file;
  std::size_t devices;
  std::size_t optimum;
  std::size_t rows;
  std::size_t refuted = 0;  ///< Rows that list less than any schedule can take.
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) {
    fields.push_back(field);
  }
  return fields;
}

/// A plain proof that no schedule on identical devices is shorter: some set of ops that all start
/// at `a` or later and end `b` or more before the end, and their work over the devices between.
double elementary_bound(const Graph& graph, double devices) {
  const std::vector<double> head = top_levels(graph, graph.work(), {});
  const std::vector<double> level = bottom_levels(graph, graph.work(), {});
  double bound = 0.0;
  for (const double a : head) {
    for (std::size_t t = 0; t < level.size(); ++t) {
      const double b = level[t] - graph.work()[t];
      double work = 0.0;
      for (std::size_t v = 0; v < level.size(); ++v) {
        work += head[v] >= a && level[v] - graph.work()[v] >= b ? graph.work()[v] : 0.0;
      }
      bound = work > 0.0 ? std::max(bound, a + work / devices + b) : bound;
    }
  }
  return bound;
}

/// The share of rows whose lower bound equals the listed optimum; no bound may exceed it,
/// but where elementary_bound() proves that nothing can be as short as the table says.
double tight_share(const Table& table) {
  StderrLogger logger(LogLevel::kError);
  std::ifstream csv(reference_data() / table.folder / table.csv);
  std::string line;
  std::getline(csv, line);
  std::size_t rows = 0;
  std::size_t tight = 0;
  std::size_t refuted = 0;
  while (std::getline(csv, line)) {
    const std::vector<std::string> fields = split(line);
    const auto file = reference_data() / table.folder / (table.prefix + fields[table.file]);
    const Graph graph = datasets::read_graph(file, logger);
    const double optimum = std::stod(fields[table.optimum]);
    const auto problem = make_problem(
        fields[table.file], graph, Topology::uniform(std::stoul(fields[table.devices])), {});
    if (problem->lower_bound > optimum) {
      ++refuted;
      const double devices = std::stod(fields[table.devices]);
      EXPECT_GT(elementary_bound(graph, devices), optimum) << file << " on " << devices;
    }
    tight += problem->lower_bound == optimum ? 1U : 0U;
    ++rows;
  }
  EXPECT_EQ(rows, table.rows);
  EXPECT_EQ(refuted, table.refuted);
  std::cout << table.folder << ": the bound is the optimum in " << tight << " of " << rows << "\n";
  return static_cast<double>(tight) / static_cast<double>(rows);
}

// 702 rows list max(critical path, work / devices). For 29 rows that
// is less than any schedule takes: 20 ops of rand0060 with 112 units of work start at 108 or later,
// so two devices need 108 + 56 = 164, not the 157 listed.
TEST(KnownOptima, StgIsMetOrProvablyOutOfReach) {
  BERTH_NEEDS_REFERENCE_DATA("stg");
  EXPECT_GE(tight_share({"stg", "optimal.csv", "", 0, 1, 2, 720, 28}), 688.0 / 720.0);
}

// 117 of the 682 optima are certified by max(critical path, work / devices).
TEST(KnownOptima, AucklandIsNeverUndercut) {
  BERTH_NEEDS_REFERENCE_DATA("auckland");
  EXPECT_GE(tight_share({"auckland", "sample.csv", "sample/", 0, 1, 2, 682}), 117.0 / 682.0);
}

TEST(KnownOptima, HeterogeneousTablesAreNeverUndercut) {
  BERTH_NEEDS_REFERENCE_DATA("hetero_small");
  tight_share({"hetero_small", "optimal.csv", "", 0, 1, 5, 14});
}

// 4 of the 25 are certified by max(critical path, work / devices).
TEST(KnownOptima, FlexibleJobShopsAreNeverUndercut) {
  BERTH_NEEDS_REFERENCE_DATA("fajsp");
  EXPECT_GE(tight_share({"fajsp", "best_known.csv", "", 0, 3, 5, 25}), 4.0 / 25.0);
}

// 11 of the 24 are certified by the load of one machine or the longest job.
TEST(KnownOptima, JobShopsAreNeverUndercut) {
  BERTH_NEEDS_REFERENCE_DATA("jobshop");
  EXPECT_GE(tight_share({"jobshop", "optimal.csv", "instances/", 0, 2, 5, 24}), 11.0 / 24.0);
}

}  // namespace
}  // namespace berth
