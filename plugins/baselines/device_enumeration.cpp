// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "device_enumeration.hpp"

#include <algorithm>

#include "berth/graph_levels.hpp"

#include "device_symmetry.hpp"

namespace berth::baselines {

DeviceEnumeration::DeviceEnumeration(Evaluator& evaluator) : evaluator_(&evaluator) {
  const PlacementProblem& problem = evaluator.problem();
  const ExecutionModel model = problem.execution.model;
  transfers_count_ = model == ExecutionModel::kDelay || model == ExecutionModel::kDopplerReference;
  group_ = interchangeable_devices(problem.costs);
  const std::vector<double> least = problem.costs.least_compute(problem.graph.num_ops());
  tail_ = bottom_levels(problem.graph, least, {});
  for (std::size_t v = 0; v < tail_.size(); ++v) {
    tail_[v] -= least[v];
  }
  finish_.assign(problem.graph.num_ops(), 0.0);
  load_.assign(problem.costs.num_devices, 0.0);
  ops_on_.assign(problem.costs.num_devices, 0);
  room_ = problem.costs.device_memory;
  device_.resize(problem.graph.num_ops());
}

bool DeviceEnumeration::run(const std::function<bool()>& stop) {
  stop_ = &stop;
  stopped_ = false;
  visit(0);
  return !stopped_;
}

bool DeviceEnumeration::worse(double bound) const noexcept {
  return bound >= evaluator_->best_makespan();
}

void DeviceEnumeration::visit(std::size_t depth) {
  const PlacementProblem& problem = evaluator_->problem();
  const Graph& graph = problem.graph;
  stopped_ = stopped_ || (*stop_)();
  if (stopped_) {
    return;
  }
  if (depth == graph.num_ops()) {
    static_cast<void>((*evaluator_)(device_));
    return;
  }
  const OpId op = graph.topological_order()[depth];
  const std::size_t v = index(op);
  const double memory = graph.memory_bytes()[v];
  for (std::size_t d = 0; d < load_.size() && !stopped_; ++d) {
    const auto device = to_id<DeviceId>(d);
    bool repeated = false;
    for (std::size_t other = 0; other < d && ops_on_[d] == 0 && !repeated; ++other) {
      repeated = group_[other] == group_[d] && ops_on_[other] == 0;
    }
    if (repeated || !problem.costs.can_run(op, device) || memory > room_[d]) {
      continue;
    }
    double ready = 0.0;
    for (std::uint64_t e = graph.in_offsets()[v]; e < graph.in_offsets()[v + 1]; ++e) {
      const std::size_t u = index(graph.in_sources()[e]);
      const double size = graph.edge_size()[index(graph.in_edges()[e])];
      const double transfer =
          transfers_count_ ? problem.costs.transfer(size, device_[u], device) : 0.0;
      ready = std::max(ready, finish_[u] + transfer);
    }
    const double compute = problem.costs.compute(op, device);
    const double streams = static_cast<double>(problem.execution.streams);
    finish_[v] = ready + compute;
    if (worse(std::max(finish_[v] + tail_[v], (load_[d] + compute) / streams))) {
      continue;
    }
    device_[v] = device;
    load_[d] += compute;
    room_[d] -= memory;
    ++ops_on_[d];
    visit(depth + 1);
    --ops_on_[d];
    room_[d] += memory;
    load_[d] -= compute;
  }
}

}  // namespace berth::baselines
