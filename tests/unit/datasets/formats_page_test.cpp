// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "datasets/graph_file.hpp"
#include "datasets/topology_file.hpp"
#include "scratch.hpp"

namespace berth::datasets {
namespace {

/// The fenced JSON examples of datasets/FORMATS.md, in order.
std::vector<std::string> examples() {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/datasets/FORMATS.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::string fence = "```json\n";
  std::vector<std::string> found;
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    found.push_back(page.substr(at, page.find("```", at) - at));
  }
  return found;
}

TEST(FormatsPage, ItsExamplesAreValid) {
  const tests::Scratch scratch;
  tests::MemoryLogger logger;
  const std::vector<std::string> json = examples();
  ASSERT_EQ(json.size(), 2U) << "a graph and a topology";

  const Graph graph = read_graph(scratch.write("graph.json", json[0]), logger);
  const Topology topology = make_topology(scratch.write("topology.json", json[1]).string());

  EXPECT_EQ(graph.num_ops(), 2U);
  EXPECT_EQ(graph.table_devices(), 2U);
  EXPECT_EQ(topology.num_devices(), 2U);
}

}  // namespace
}  // namespace berth::datasets
