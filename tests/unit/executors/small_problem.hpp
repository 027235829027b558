// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "berth/problem.hpp"

namespace berth::testing {

/// Ops of the given work in seconds and edges (from, to), each taking `transfer_seconds` between
/// devices.
inline Graph graph_of(const std::vector<double>& work,
                      const std::vector<std::pair<unsigned, unsigned>>& edges,
                      double transfer_seconds = 0.0) {
  GraphBuilder builder("small");
  builder.cost_basis(CostBasis::kTime, 1.0);
  for (const double seconds : work) {
    OpSpec op;
    op.work = seconds;
    builder.add_op(std::move(op));
  }
  for (const auto& [from, to] : edges) {
    builder.add_edge(to_id<OpId>(from), to_id<OpId>(to), transfer_seconds);
  }
  return builder.freeze();
}

inline std::shared_ptr<const PlacementProblem> problem_of(const Graph& graph,
                                                          std::size_t devices,
                                                          Discipline discipline = Discipline::kAuto,
                                                          std::uint32_t streams = 1) {
  ExecutionOptions execution;
  execution.discipline = discipline;
  execution.streams = streams;
  return make_problem("small", graph, Topology::uniform(devices), execution);
}

inline Placement placement_of(const std::vector<unsigned>& devices,
                              std::vector<double> order = {}) {
  Placement placement;
  for (const unsigned device : devices) {
    placement.device.push_back(to_id<DeviceId>(device));
  }
  placement.order = std::move(order);
  return placement;
}

}  // namespace berth::testing
