// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "berth/simulator.hpp"

#include "doppler_sample.hpp"
#include "reference_data.hpp"

namespace berth {
namespace {

using nlohmann::json;

double simulate(const Graph& graph,
                std::size_t devices,
                ExecutionModel model,
                const std::vector<DeviceId>& placement) {
  ExecutionOptions execution;
  execution.model = model;
  const auto problem = make_problem("golden", graph, Topology::uniform(devices), execution);
  Simulator simulator(*problem);
  const double makespan = simulator.makespan(placement);
  EXPECT_EQ(simulator.trace({placement, {}}).makespan, makespan);
  EXPECT_LE(problem->lower_bound, makespan);
  return makespan;
}

// Nine graphs, eight assignments each; the values are integers, so equality is exact.
TEST(DopplerGolden, AllAssignmentsHaveTheListedMakespansInBothEventOrders) {
  BERTH_NEEDS_REFERENCE_DATA("doppler");
  std::ifstream file(reference_data() / "doppler" / "golden.json");
  const json golden = json::parse(file);

  std::size_t checked = 0;
  for (const auto& [name, entry] : golden.items()) {
    const Graph graph = read_doppler_sample(reference_data() / "doppler" / (name + ".txt"));
    ASSERT_EQ(graph.num_ops(), entry["nodes"].get<std::size_t>()) << name;
    ASSERT_EQ(graph.num_edges(), entry["edges"].get<std::size_t>()) << name;
    const auto devices = entry["devices"].get<std::size_t>();
    for (const auto& [label, assignment] : entry["assignments"].items()) {
      SCOPED_TRACE(name + ", " + label);
      std::vector<DeviceId> placement;
      for (const double d : numbers_in(assignment["assignment"].get<std::string>())) {
        placement.push_back(to_id<DeviceId>(d));
      }
      EXPECT_EQ(simulate(graph, devices, ExecutionModel::kDelay, placement),
                assignment["makespan_fifo_ready_then_id"].get<double>());
      EXPECT_EQ(simulate(graph, devices, ExecutionModel::kDopplerReference, placement),
                assignment["makespan_simpy_order"].get<double>());
      ++checked;
    }
  }
  EXPECT_EQ(checked, 72U);
}

// On links that are never busy twice nothing changes: all ops on one device.
TEST(DopplerGolden, EveryModelAgreesOnOneDevice) {
  BERTH_NEEDS_REFERENCE_DATA("doppler");
  const Graph graph = read_doppler_sample(reference_data() / "doppler" / "chain_mm_112nodes.txt");
  const std::vector<DeviceId> placement(graph.num_ops(), DeviceId{0});

  for (const ExecutionModel model : {ExecutionModel::kDelay,
                                     ExecutionModel::kDopplerReference,
                                     ExecutionModel::kLinks,
                                     ExecutionModel::kFair}) {
    EXPECT_EQ(simulate(graph, 4, model, placement), 48002800000000.0) << name_of(model);
  }
}

}  // namespace
}  // namespace berth
