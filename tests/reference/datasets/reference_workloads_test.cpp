// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "datasets/graph_file.hpp"
#include "datasets/workloads/workload.hpp"
#include "reference_data.hpp"
#include "unit/datasets/scratch.hpp"

namespace berth::datasets {
namespace {

Graph published(const char* file) {
  tests::MemoryLogger logger;
  return read_graph(reference_data() / "doppler" / file, logger);
}

Graph generated(const char* name, std::size_t devices) {
  WorkloadSpec spec;
  spec.name = name;
  spec.devices = devices;
  return make_workload(spec);
}

/// Every op as (type, comp, comm), sorted; types left out where the file has none.
using OpKey = std::tuple<std::string, double, double>;
std::vector<OpKey> op_multiset(const Graph& graph, bool typed) {
  std::vector<OpKey> ops;
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    ops.emplace_back(
        typed ? graph.kind(to_id<OpId>(v)) : "", graph.work()[v], graph.output_bytes()[v]);
  }
  std::sort(ops.begin(), ops.end());
  return ops;
}

struct Case {
  const char* workload;
  const char* file;
};

// Equal hashes mean equal ops, types, costs and edges, op by op in file order.
TEST(ReferenceWorkloads, EqualTheTypedFourDeviceFilesOpByOp) {
  BERTH_NEEDS_REFERENCE_DATA("doppler");
  for (const Case& expected : {Case{"chain-mm", "gdp_chain_mm_112nodes.txt"},
                               Case{"ffnn", "gdp_ffnn_192nodes.txt"},
                               Case{"llama-block", "gdp_transformer_block_215nodes.txt"},
                               Case{"llama-layer", "gdp_full_transformer_layer_261nodes.txt"}}) {
    const Graph file = published(expected.file);
    const Graph graph = generated(expected.workload, 4);

    EXPECT_EQ(op_multiset(graph, true), op_multiset(file, true)) << expected.workload;
    EXPECT_EQ(graph.num_edges(), file.num_edges()) << expected.workload;
    EXPECT_TRUE(std::equal(graph.out_targets().begin(),
                           graph.out_targets().end(),
                           file.out_targets().begin(),
                           file.out_targets().end()))
        << expected.workload;
    EXPECT_EQ(graph.hash(), file.hash()) << expected.workload;
  }
}

TEST(ReferenceWorkloads, HaveTheCostsAndEdgesOfTheUntypedEightDeviceFiles) {
  BERTH_NEEDS_REFERENCE_DATA("doppler");
  for (const Case& expected : {Case{"llama-block", "8gpu_transformer_block.txt"},
                               Case{"llama-layer", "8gpu_full_transformer.txt"}}) {
    const Graph file = published(expected.file);
    const Graph graph = generated(expected.workload, 8);

    EXPECT_EQ(op_multiset(graph, false), op_multiset(file, false)) << expected.workload;
    EXPECT_TRUE(std::equal(graph.out_targets().begin(),
                           graph.out_targets().end(),
                           file.out_targets().begin(),
                           file.out_targets().end()))
        << expected.workload;
  }
}

}  // namespace
}  // namespace berth::datasets
