// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "datasets/berth_graph_json.hpp"
#include "datasets/graph_file.hpp"
#include "datasets/source_text.hpp"
#include "reference_data.hpp"
#include "unit/datasets/scratch.hpp"

namespace berth::datasets {
namespace {

using Row = std::map<std::string, std::string>;

/// Rows of a CSV without quotes, by column name.
std::vector<Row> csv(const std::string& file) {
  const SourceText source = load_source(reference_data() / file);
  LineReader lines(source.text);
  lines.next();
  const auto header = split(lines.line(), ",");
  std::vector<Row> rows;
  while (lines.next_content()) {
    const auto cells = split(lines.line(), ",");
    Row row;
    for (std::size_t i = 0; i < cells.size() && i < header.size(); ++i) {
      row[std::string(header[i])] = cells[i];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Graph read(const std::filesystem::path& file) {
  tests::MemoryLogger logger;
  return read_graph(file, logger);
}

/// Reads every file that a folder holds as a graph; each must survive Berth JSON unchanged.
std::size_t round_trips(const std::string& folder) {
  tests::MemoryLogger logger;
  const auto files =
      expand_graph_paths(std::vector<std::string>{(reference_data() / folder).string()});
  for (const auto& file : files) {
    const Graph graph = read_graph(file, logger);
    const Graph again = read_berth_graph({"copy.json", write_berth_graph(graph)}, logger);
    EXPECT_EQ(again.hash(), graph.hash()) << file;
    EXPECT_GT(graph.num_ops(), 0U) << file;
  }
  return files.size();
}

TEST(ReferenceGraphs, AllRoundTripThroughBerthJson) {
  BERTH_NEEDS_REFERENCE_DATA("stg");

  EXPECT_EQ(round_trips("stg"), 180U);
  EXPECT_EQ(round_trips("auckland"), 682U);  // 259 + 92 + 225 + 106
  EXPECT_EQ(round_trips("hetero_small"), 14U);
  EXPECT_EQ(round_trips("fajsp"), 25U);
  EXPECT_EQ(round_trips("jobshop"), 24U);
  EXPECT_EQ(round_trips("doppler"), 10U);
  EXPECT_EQ(round_trips("dnn_partitioning"), 10U);
  EXPECT_EQ(round_trips("wfinstances"), 5U);
}

TEST(ReferenceGraphs, StgKeepsItsDummiesAndItsListedLowerBound) {
  BERTH_NEEDS_REFERENCE_DATA("stg");
  for (const Row& row : csv("stg/optimal.csv")) {
    const Graph graph = read(reference_data() / "stg" / row.at("file"));
    double work = 0.0;
    for (const double time : graph.work()) {
      work += time;
    }

    EXPECT_EQ(graph.num_ops(), 52U);
    EXPECT_EQ(graph.work()[0], 0.0);
    EXPECT_EQ(graph.work()[51], 0.0);
    EXPECT_LE(std::ceil(work / std::stod(row.at("processors"))),
              std::stod(row.at("best_makespan")));
  }
}

TEST(ReferenceGraphs, AucklandFilesHaveTheNodesThatTheirFolderNames) {
  BERTH_NEEDS_REFERENCE_DATA("auckland");
  for (const Row& row : csv("auckland/sample.csv")) {
    const std::string file = row.at("file");
    const Graph graph = read(reference_data() / "auckland/sample" / file);

    EXPECT_EQ(graph.num_ops(), std::stoul(file)) << file;  // "10-nodes/..."
    EXPECT_EQ(graph.op_name(OpId{3}), "3") << file;
  }
}

TEST(ReferenceGraphs, HeterogeneousTablesHaveTheDevicesAndTasksThatTheCsvNames) {
  BERTH_NEEDS_REFERENCE_DATA("hetero_small");
  for (const Row& row : csv("hetero_small/optimal.csv")) {
    const Graph graph = read(reference_data() / "hetero_small" / row.at("file"));

    EXPECT_EQ(graph.num_ops(), std::stoul(row.at("tasks"))) << row.at("file");
    EXPECT_EQ(graph.table_devices(), std::stoul(row.at("processors"))) << row.at("file");
  }
}

TEST(ReferenceGraphs, FajspFilesHaveTheOpsPrecedencesAndDevicesThatTheCsvNames) {
  BERTH_NEEDS_REFERENCE_DATA("fajsp");
  for (const Row& row : csv("fajsp/best_known.csv")) {
    const Graph graph = read(reference_data() / "fajsp" / row.at("file"));

    EXPECT_EQ(graph.num_ops(), std::stoul(row.at("operations"))) << row.at("file");
    EXPECT_EQ(graph.num_edges(), std::stoul(row.at("precedences"))) << row.at("file");
    EXPECT_EQ(graph.table_devices(), std::stoul(row.at("machines"))) << row.at("file");
  }
}

TEST(ReferenceGraphs, JobShopsBindEachOpToOneDevice) {
  BERTH_NEEDS_REFERENCE_DATA("jobshop");
  for (const Row& row : csv("jobshop/optimal.csv")) {
    const Graph graph = read(reference_data() / "jobshop/instances" / row.at("instance"));
    const std::size_t jobs = std::stoul(row.at("jobs"));

    EXPECT_EQ(graph.table_devices(), std::stoul(row.at("machines")));
    EXPECT_EQ(graph.num_edges(), graph.num_ops() - jobs);
    for (std::size_t v = 0; v < graph.num_ops(); ++v) {
      EXPECT_EQ(graph.eligible(to_id<OpId>(v)).size(), 1U);
    }
  }
}

struct Sizes {
  const char* file;
  std::size_t ops;
  std::size_t edges;
  double total;  ///< In 1e10 units.
};

// Table of the graph files in the DOPPLER specification.
TEST(ReferenceGraphs, DopplerFilesHaveThePublishedSizes) {
  BERTH_NEEDS_REFERENCE_DATA("doppler");
  for (const Sizes& expected : {Sizes{"chain_mm_112nodes.txt", 76, 80, 4800.28},
                                Sizes{"gdp_ffnn_192nodes.txt", 180, 208, 226.783},
                                Sizes{"transformer_block_215nodes.txt", 182, 234, 388.678},
                                Sizes{"gdp_full_transformer_layer_261nodes.txt", 229, 284, 388.977},
                                Sizes{"8gpu_transformer_block.txt", 302, 398, 777.223},
                                Sizes{"8gpu_full_transformer.txt", 367, 470, 777.856}}) {
    const Graph graph = read(reference_data() / "doppler" / expected.file);
    double total = 0.0;
    for (const double work : graph.work()) {
      total += work;
    }

    EXPECT_EQ(graph.num_ops(), expected.ops) << expected.file;
    EXPECT_EQ(graph.num_edges(), expected.edges) << expected.file;
    EXPECT_NEAR(total / 1e10, expected.total, 0.005) << expected.file;
  }
}

TEST(ReferenceGraphs, WorkflowsHaveTheTasksAndEdgesThatWereCounted) {
  BERTH_NEEDS_REFERENCE_DATA("wfinstances");
  const std::map<std::string, std::pair<std::size_t, std::size_t>> expected = {
      {"bacass-dirt02-001", {11, 14}},
      {"helloworld-chain-5-chameleon", {5, 4}},
      {"helloworld-forkjoin-10-chameleon", {10, 16}},
      {"blast-chameleon-small-001", {43, 120}},
      {"montage-chameleon-2mass-005d-001", {58, 114}}};
  for (const auto& [name, counts] : expected) {
    const Graph graph = read(reference_data() / "wfinstances" / (name + ".json"));

    EXPECT_EQ(graph.num_ops(), counts.first) << name;
    EXPECT_EQ(graph.num_edges(), counts.second) << name;
  }
}

TEST(ReferenceGraphs, MsrFiddleNodesRunOnAcceleratorsThenCpus) {
  BERTH_NEEDS_REFERENCE_DATA("dnn_partitioning");
  const Graph graph =
      read(reference_data() / "dnn_partitioning/throughput/LayerGraphs/bert24_inference.json");
  double accelerated = 0.0;
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    accelerated += graph.device_time()[v * graph.table_devices()];
  }

  EXPECT_EQ(graph.table_devices(), 7U);      // maxFPGAs 6, maxCPUs 1
  EXPECT_NEAR(accelerated, 92.406, 0.0005);  // "all on one accelerator"
}

}  // namespace
}  // namespace berth::datasets
