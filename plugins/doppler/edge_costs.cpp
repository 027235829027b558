// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "edge_costs.hpp"

#include <algorithm>

namespace berth::doppler {
namespace {

double mean_transfer_of(double size, const CostTable& costs) {
  double sum = 0.0;
  const std::size_t devices = costs.num_devices;
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      sum += costs.transfer(size, to_id<DeviceId>(a), to_id<DeviceId>(b));
    }
  }
  return devices < 2 ? 0.0 : sum / static_cast<double>(devices * (devices - 1));
}

}  // namespace

MeanCosts mean_costs(const PlacementProblem& problem) {
  const Graph& graph = problem.graph;
  MeanCosts means;
  means.compute = problem.costs.mean_compute(graph.num_ops());
  means.transfer = problem.costs.mean_transfer(graph);
  means.output.assign(graph.num_ops(), 0.0);
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    const auto begin = graph.out_offsets()[v];
    const auto end = graph.out_offsets()[v + 1];
    for (std::uint64_t e = begin; e < end; ++e) {
      means.output[v] = std::max(means.output[v], means.transfer[e]);
    }
    if (begin == end && graph.output_bytes()[v] > 0.0) {
      means.output[v] = mean_transfer_of(graph.output_bytes()[v], problem.costs);
    }
  }
  return means;
}

}  // namespace berth::doppler
