// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "list_decoder.hpp"

#include <algorithm>

#include "berth/graph_levels.hpp"

#include "infinity.hpp"

namespace berth::baselines {

ListDecoder::ListDecoder(const PlacementProblem& problem)
    : problem_(&problem),
      finish_(problem.graph.num_ops(), 0.0),
      idle_(problem.costs.num_devices, 0.0),
      start_(problem.costs.num_devices, 0.0),
      device_(problem.graph.num_ops()) {
  const std::vector<double> least = problem.costs.least_compute(problem.graph.num_ops());
  tail_ = bottom_levels(problem.graph, least, {});
  for (std::size_t v = 0; v < tail_.size(); ++v) {
    tail_[v] -= least[v];
  }
}

double ListDecoder::makespan(std::span<const OpId> list, double limit) {
  const Graph& graph = problem_->graph;
  const CostTable& costs = problem_->costs;
  const std::size_t devices = idle_.size();
  std::fill(idle_.begin(), idle_.end(), 0.0);
  room_ = costs.device_memory;
  double makespan = 0.0;
  for (const OpId op : list) {
    const std::size_t v = index(op);
    std::copy(idle_.begin(), idle_.end(), start_.begin());
    for (std::uint64_t e = graph.in_offsets()[v]; e < graph.in_offsets()[v + 1]; ++e) {
      const std::size_t u = index(graph.in_sources()[e]);
      const double size = graph.edge_size()[index(graph.in_edges()[e])];
      for (std::size_t d = 0; d < devices; ++d) {
        start_[d] =
            std::max(start_[d], finish_[u] + costs.transfer(size, device_[u], to_id<DeviceId>(d)));
      }
    }
    double best = kInfinity;
    std::size_t chosen = 0;
    for (std::size_t d = 0; d < devices; ++d) {
      const double finish = start_[d] + costs.compute(op, to_id<DeviceId>(d));
      const bool better = finish < best ||
                          (finish == best && start_[d] - idle_[d] < start_[chosen] - idle_[chosen]);
      if (better && finish < kInfinity && graph.memory_bytes()[v] <= room_[d]) {
        best = finish;
        chosen = d;
      }
    }
    if (best == kInfinity || best + tail_[v] > limit) {
      return kInfinity;
    }
    device_[v] = to_id<DeviceId>(chosen);
    finish_[v] = idle_[chosen] = best;
    room_[chosen] -= graph.memory_bytes()[v];
    makespan = std::max(makespan, best);
  }
  return makespan;
}

}  // namespace berth::baselines
