// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "partial_schedule.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "berth/error.hpp"

namespace berth::baselines {

PartialSchedule::PartialSchedule(const PlacementProblem& problem)
    : problem_(&problem),
      busy_(problem.costs.num_devices),
      blocks_(problem.costs.num_devices),
      load_(problem.costs.num_devices, 0.0),
      room_(problem.costs.device_memory),
      device_(problem.graph.num_ops()),
      start_(problem.graph.num_ops(), 0.0),
      finish_(problem.graph.num_ops(), 0.0) {}

bool PartialSchedule::fits(OpId op, DeviceId device) const noexcept {
  return problem_->costs.can_run(op, device) &&
         problem_->graph.memory_bytes()[index(op)] <= room_[index(device)];
}

double PartialSchedule::ready_time(OpId op, DeviceId device) const noexcept {
  const Graph& graph = problem_->graph;
  double ready = 0.0;
  for (std::uint64_t e = graph.in_offsets()[index(op)]; e < graph.in_offsets()[index(op) + 1];
       ++e) {
    const std::size_t u = index(graph.in_sources()[e]);
    const double size = graph.edge_size()[index(graph.in_edges()[e])];
    ready = std::max(ready, finish_[u] + problem_->costs.transfer(size, device_[u], device));
  }
  return ready;
}

double PartialSchedule::earliest_start(OpId op, DeviceId device, Gaps gaps) const noexcept {
  const double duration = compute(op, device);
  // Only an op of no duration fits between two intervals that touch.
  const std::vector<Interval>& busy = (duration > 0.0 ? blocks_ : busy_)[index(device)];
  double start = ready_time(op, device);
  if (busy.empty()) {
    return start;
  }
  if (gaps == Gaps::kAppend) {
    return std::max(start, busy.back().finish);
  }
  // Intervals are disjoint, so those that end by the ready time come first.
  auto next = std::partition_point(busy.begin(), busy.end(), [start](const Interval& interval) {
    return interval.finish <= start;
  });
  for (; next != busy.end() && start + duration > next->start; ++next) {
    start = std::max(start, next->finish);
  }
  return start;
}

double PartialSchedule::idle_before(double start, DeviceId device) const noexcept {
  const std::vector<Interval>& busy = busy_[index(device)];
  const auto next =
      std::partition_point(busy.begin(), busy.end(), [start](const Interval& interval) {
        return interval.finish <= start;
      });
  return next == busy.begin() ? start : start - std::prev(next)->finish;
}

void PartialSchedule::assign(OpId op, DeviceId device, double start) {
  const double finish = start + compute(op, device);
  std::vector<Interval>& busy = busy_[index(device)];
  const Interval interval{start, finish};
  const auto after = [](const Interval& a, const Interval& b) {
    return std::tie(a.start, a.finish) < std::tie(b.start, b.finish);
  };
  busy.insert(std::upper_bound(busy.begin(), busy.end(), interval, after), interval);
  if (finish > start) {
    join(blocks_[index(device)], interval);
  }
  device_[index(op)] = device;
  start_[index(op)] = start;
  finish_[index(op)] = finish;
  load_[index(device)] += finish - start;
  room_[index(device)] -= problem_->graph.memory_bytes()[index(op)];
  makespan_ = std::max(makespan_, finish);
}

void PartialSchedule::join(std::vector<Interval>& blocks, const Interval& interval) {
  const auto next = std::partition_point(
      blocks.begin(), blocks.end(), [&](const Interval& b) { return b.start < interval.start; });
  const bool touches_next = next != blocks.end() && next->start == interval.finish;
  if (next != blocks.begin() && std::prev(next)->finish == interval.start) {
    std::prev(next)->finish = touches_next ? next->finish : interval.finish;
    if (touches_next) {
      blocks.erase(next);
    }
  } else if (touches_next) {
    next->start = interval.start;
  } else {
    blocks.insert(next, interval);
  }
}

Placement PartialSchedule::placement() const {
  return {device_, order_by_start(problem_->graph, start_, finish_)};
}

std::vector<std::uint32_t> topological_position(const Graph& graph) {
  std::vector<std::uint32_t> position(graph.num_ops());
  std::uint32_t next = 0;
  for (const OpId op : graph.topological_order()) {
    position[index(op)] = next++;
  }
  return position;
}

std::vector<double> order_by_start(const Graph& graph,
                                   std::span<const double> start,
                                   std::span<const double> finish) {
  const std::vector<std::uint32_t> position = topological_position(graph);
  std::vector<std::uint32_t> ops(graph.num_ops());
  std::iota(ops.begin(), ops.end(), 0U);
  std::sort(ops.begin(), ops.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tie(start[a], finish[a], position[a]) < std::tie(start[b], finish[b], position[b]);
  });
  std::vector<double> order(ops.size());
  double next = 0.0;
  for (const std::uint32_t op : ops) {
    order[op] = next++;
  }
  return order;
}

void refuse_full(const char* policy, const Graph& graph, OpId op) {
  throw SolverError(std::string(policy) + ": no device that can run '" + graph.op_name(op) +
                    "' has memory left for it; try another policy or larger devices");
}

}  // namespace berth::baselines
