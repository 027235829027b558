// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "branch_and_bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "berth/rng.hpp"

#include "device_symmetry.hpp"
#include "infinity.hpp"
#include "op_twins.hpp"
#include "partial_schedule.hpp"

namespace berth::baselines {
namespace {

constexpr double kUnscheduled = -1.0;
constexpr std::size_t kMostStates = std::size_t{1} << 24U;  // 512 MiB of table at most
constexpr std::uint64_t kNodesPerLook = 256;

void mix(Fingerprint& mark, std::uint64_t word) {
  mark.low = mix64(mark.low ^ word);
  mark.high = mix64(mark.high + 0x9e3779b97f4a7c15ULL * word + 1);
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value + 0.0);
}

}  // namespace

BranchAndBound::BranchAndBound(const PlacementProblem& problem)
    : problem_(&problem),
      least_(least_times(problem)),
      visited_(kMostStates),
      group_(interchangeable_devices(problem.costs)),
      twin_(op_twins(problem)) {
  const Graph& graph = problem.graph;
  const std::size_t n = graph.num_ops();
  const auto memory = graph.memory_bytes();
  const double needed = std::accumulate(memory.begin(), memory.end(), 0.0);
  for (std::size_t d = 0; d < problem.costs.num_devices; ++d) {
    memory_limited_ = memory_limited_ || needed > problem.costs.device_memory[d];
  }
  for (const OpId op : graph.topological_order()) {
    topological_.push_back(static_cast<std::uint32_t>(index(op)));
  }
  for (std::size_t v = 0; v < n; ++v) {
    missing_.push_back(static_cast<std::uint32_t>(graph.predecessors(to_id<OpId>(v)).size()));
  }
  idle_.assign(problem.costs.num_devices, 0.0);
  room_ = problem.costs.device_memory;
  start_.assign(n, 0.0);
  finish_.assign(n, kUnscheduled);
  device_.assign(n, 0);
  least_start_.assign(n, 0.0);
  least_end_.assign(n, 0.0);
  ready_.assign(n * idle_.size(), 0.0);
  device_marks_.resize(idle_.size());
  branches_.resize(n + 1);
  remaining_work_ = std::accumulate(least_.compute.begin(), least_.compute.end(), 0.0);
}

bool BranchAndBound::run(double incumbent, const StopCheck& stop, const Improve& improve) {
  incumbent_ = incumbent;
  stop_ = &stop;
  improve_ = &improve;
  stopped_ = false;
  visit(0);
  static_cast<void>(stop(unreported_nodes_));
  unreported_nodes_ = 0;
  return !stopped_;
}

bool BranchAndBound::worse(double bound) const noexcept {
  // Makespans of whole times are whole: the next better one is a unit below.
  return least_.whole ? bound > incumbent_ - 1.0 + 1e-6 : bound >= incumbent_;
}

double BranchAndBound::data_ready(std::size_t op, std::size_t device) const noexcept {
  const Graph& graph = problem_->graph;
  double ready = 0.0;
  for (std::uint64_t e = graph.in_offsets()[op]; e < graph.in_offsets()[op + 1]; ++e) {
    const std::size_t u = index(graph.in_sources()[e]);
    if (finish_[u] >= 0.0) {
      const double size = graph.edge_size()[index(graph.in_edges()[e])];
      ready =
          std::max(ready,
                   finish_[u] + problem_->costs.transfer(
                                    size, to_id<DeviceId>(device_[u]), to_id<DeviceId>(device)));
    }
  }
  return ready;
}

double BranchAndBound::least_finish(std::size_t op) {
  const Graph& graph = problem_->graph;
  const std::size_t devices = idle_.size();
  pending_.clear();
  for (std::uint64_t e = graph.in_offsets()[op]; e < graph.in_offsets()[op + 1]; ++e) {
    const std::size_t u = index(graph.in_sources()[e]);
    if (finish_[u] < 0.0) {
      const double transfer = least_.transfer[index(graph.in_edges()[e])];
      pending_.push_back({least_start_[u], least_.compute[u], least_end_[u] + transfer});
    }
  }
  const double joined = pending_.empty() ? 0.0 : least_join(pending_);
  double earliest = kInfinity;
  double finish = kInfinity;
  for (std::size_t d = 0; d < devices; ++d) {
    const double ready = std::max({data_ready(op, d), idle_[d], clock_});
    ready_[op * devices + d] = ready;
    const double start = std::max(ready, joined);
    earliest = std::min(earliest, start);
    finish = std::min(finish, start + problem_->costs.compute(to_id<OpId>(op), to_id<DeviceId>(d)));
  }
  least_start_[op] = earliest;
  return finish;
}

double BranchAndBound::bound_state() {
  double bound = 0.0;
  double load = remaining_work_;
  for (const double idle : idle_) {
    bound = std::max(bound, idle);
    load += std::max(idle, clock_);
  }
  bound = std::max(bound, load / static_cast<double>(idle_.size()));
  for (const std::uint32_t v : topological_) {
    if (finish_[v] < 0.0) {
      least_end_[v] = least_finish(v);
      bound = std::max(bound, least_end_[v] + least_.tail[v]);
      if (worse(bound)) {
        return bound;
      }
    }
  }
  return bound;
}

Fingerprint BranchAndBound::fingerprint() {
  const Graph& graph = problem_->graph;
  const std::size_t devices = idle_.size();
  for (std::size_t d = 0; d < devices; ++d) {
    device_marks_[d] = {group_[d], 0};
    mix(device_marks_[d], bits(std::max(idle_[d], clock_)));
    if (memory_limited_) {
      mix(device_marks_[d], bits(room_[d]));
    }
  }
  Fingerprint state;
  std::uint64_t word = 0;
  for (std::size_t v = 0; v < finish_.size(); ++v) {
    word = (word << 1U) | (finish_[v] < 0.0 ? 0U : 1U);
    if (v % 64 == 63) {
      mix(state, word);
    }
    // What is known of where an op's inputs are is part of the state once some are scheduled.
    const bool begun = missing_[v] < graph.predecessors(to_id<OpId>(v)).size();
    for (std::size_t d = 0; finish_[v] < 0.0 && begun && d < devices; ++d) {
      mix(device_marks_[d], v);
      mix(device_marks_[d], bits(ready_[v * devices + d]));
    }
  }
  mix(state, word);
  return state;
}

void BranchAndBound::collect(std::vector<Branch>& branches) {
  branches.clear();
  const std::size_t devices = idle_.size();
  for (std::size_t v = 0; v < finish_.size(); ++v) {
    if (finish_[v] >= 0.0 || missing_[v] > 0 || (twin_[v] != v && finish_[twin_[v]] < 0.0)) {
      continue;
    }
    for (std::size_t d = 0; d < devices; ++d) {
      const double compute = problem_->costs.compute(to_id<OpId>(v), to_id<DeviceId>(d));
      const double start = ready_[v * devices + d];
      const double bound = start + compute + least_.tail[v];
      if (compute == kInfinity || worse(bound) || problem_->graph.memory_bytes()[v] > room_[d]) {
        continue;
      }
      bool repeated = false;
      for (std::size_t other = 0; other < d && !repeated; ++other) {
        repeated = device_marks_[other] == device_marks_[d];
      }
      if (!repeated) {
        branches.push_back(
            {bound, start, static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(d)});
      }
    }
  }
  std::sort(branches.begin(), branches.end(), [](const Branch& a, const Branch& b) {
    return std::tie(a.start, a.bound, a.op, a.device) < std::tie(b.start, b.bound, b.op, b.device);
  });
}

void BranchAndBound::apply(const Branch& branch) {
  const OpId op{branch.op};
  start_[branch.op] = clock_ = branch.start;
  finish_[branch.op] = idle_[branch.device] =
      branch.start + problem_->costs.compute(op, DeviceId{branch.device});
  device_[branch.op] = branch.device;
  room_[branch.device] -= problem_->graph.memory_bytes()[branch.op];
  remaining_work_ -= least_.compute[branch.op];
  ++scheduled_;
  for (const OpId next : problem_->graph.successors(op)) {
    --missing_[index(next)];
  }
}

void BranchAndBound::take_back(const Branch& branch, double idle, double clock) {
  for (const OpId next : problem_->graph.successors(OpId{branch.op})) {
    ++missing_[index(next)];
  }
  --scheduled_;
  remaining_work_ += least_.compute[branch.op];
  room_[branch.device] += problem_->graph.memory_bytes()[branch.op];
  finish_[branch.op] = kUnscheduled;
  idle_[branch.device] = idle;
  clock_ = clock;
}

void BranchAndBound::record() {
  incumbent_ = finish_.empty() ? 0.0 : *std::max_element(finish_.begin(), finish_.end());
  Placement placement;
  for (const std::uint32_t device : device_) {
    placement.device.push_back(DeviceId{device});
  }
  placement.order = order_by_start(problem_->graph, start_, finish_);
  (*improve_)(placement, incumbent_);
}

void BranchAndBound::visit(std::size_t depth) {
  if (++unreported_nodes_ >= kNodesPerLook) {
    stopped_ = stopped_ || (*stop_)(unreported_nodes_);
    unreported_nodes_ = 0;
  }
  if (stopped_ || worse(bound_state())) {
    return;
  }
  if (scheduled_ == finish_.size()) {
    record();
    return;
  }
  Fingerprint state = fingerprint();
  std::vector<Branch>& branches = branches_[depth];
  collect(branches);
  std::sort(device_marks_.begin(), device_marks_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.low, a.high) < std::tie(b.low, b.high);
  });
  for (const Fingerprint& mark : device_marks_) {
    mix(state, mark.low);
    mix(state, mark.high);
  }
  if (!visited_.insert(state)) {
    return;
  }
  for (const Branch& branch : branches) {
    if (stopped_) {
      return;
    }
    if (!worse(branch.bound)) {
      const double idle = idle_[branch.device];
      const double clock = clock_;
      apply(branch);
      visit(depth + 1);
      take_back(branch, idle, clock);
    }
  }
}

}  // namespace berth::baselines
