// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "delay_decoder.hpp"

#include <algorithm>
#include <limits>

#include "berth/graph_levels.hpp"

namespace berth::baselines {

bool DelayDecoder::applies(const PlacementProblem& problem) noexcept {
  const ExecutionOptions& execution = problem.execution;
  return execution.model == ExecutionModel::kDelay && execution.streams == 1 &&
         execution.compute_noise == 0.0 && execution.transfer_noise == 0.0 &&
         (execution.discipline == Discipline::kAuto ||
          execution.discipline == Discipline::kStaticOrder);
}

DelayDecoder::DelayDecoder(const PlacementProblem& problem)
    : problem_(&problem),
      in_offset_{0},
      idle_((problem.graph.num_ops() + 1) * problem.costs.num_devices, 0.0),
      trial_idle_(problem.costs.num_devices, 0.0),
      start_(problem.graph.num_ops(), 0.0),
      finish_(problem.graph.num_ops(), 0.0),
      trial_(problem.graph.num_ops(), 0.0),
      before_(problem.graph.num_ops()),
      latest_(problem.graph.num_ops() + 1, 0.0) {
  const Graph& graph = problem.graph;
  const std::vector<double> least = problem.costs.least_compute(graph.num_ops());
  tail_ = bottom_levels(graph, least, {});
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    tail_[v] -= least[v];
    for (std::uint64_t e = graph.in_offsets()[v]; e < graph.in_offsets()[v + 1]; ++e) {
      in_.push_back({static_cast<std::uint32_t>(index(graph.in_sources()[e])),
                     graph.edge_size()[index(graph.in_edges()[e])]});
    }
    in_offset_.push_back(in_.size());
    for (std::size_t d = 0; d < problem.costs.num_devices; ++d) {
      compute_.push_back(problem.costs.compute(to_id<OpId>(v), to_id<DeviceId>(d)));
    }
  }
}

double DelayDecoder::start_time(std::size_t op,
                                std::span<const DeviceId> device,
                                const double* idle,
                                const std::vector<double>& finish) const noexcept {
  const DeviceId here = device[op];
  double start = idle[index(here)];
  for (std::size_t i = in_offset_[op]; i < in_offset_[op + 1]; ++i) {
    const auto [source, size] = in_[i];
    start = std::max(start, finish[source] + problem_->costs.transfer(size, device[source], here));
  }
  return start;
}

double DelayDecoder::makespan(std::span<const OpId> sequence,
                              std::span<const DeviceId> device,
                              std::size_t from,
                              double limit) {
  const std::size_t devices = trial_idle_.size();
  std::copy_n(
      idle_.begin() + static_cast<std::ptrdiff_t>(from * devices), devices, trial_idle_.begin());
  double latest = latest_[from];
  for (std::size_t i = from; i < sequence.size(); ++i) {
    const std::size_t v = index(sequence[i]);
    const std::size_t d = index(device[v]);
    const double finish =
        start_time(v, device, trial_idle_.data(), trial_) + compute_[v * devices + d];
    if (finish + tail_[v] > limit) {
      restore(sequence.subspan(from, i - from));
      return std::numeric_limits<double>::infinity();
    }
    trial_[v] = finish;
    trial_idle_[d] = finish;
    latest = std::max(latest, finish);
  }
  restore(sequence.subspan(from));
  return latest;
}

void DelayDecoder::restore(std::span<const OpId> ops) noexcept {
  for (const OpId op : ops) {
    trial_[index(op)] = finish_[index(op)];
  }
}

double DelayDecoder::accept(std::span<const OpId> sequence,
                            std::span<const DeviceId> device,
                            std::size_t from) {
  const std::size_t devices = trial_idle_.size();
  for (std::size_t i = from; i < sequence.size(); ++i) {
    const std::size_t v = index(sequence[i]);
    const std::size_t d = index(device[v]);
    double* idle = idle_.data() + i * devices;
    start_[v] = start_time(v, device, idle, finish_);
    finish_[v] = trial_[v] = start_[v] + compute_[v * devices + d];
    std::copy_n(idle, devices, idle + devices);
    idle[devices + d] = finish_[v];
    latest_[i + 1] = std::max(latest_[i], finish_[v]);
  }
  last_.assign(devices, OpId{UINT32_MAX});
  for (const OpId op : sequence) {
    OpId& on_device = last_[index(device[index(op)])];
    before_[index(op)] = on_device == OpId{UINT32_MAX} ? op : on_device;
    on_device = op;
  }
  return latest_.back();
}

void DelayDecoder::critical_ops(std::span<const DeviceId> device, std::vector<OpId>& path) const {
  path.clear();
  if (finish_.empty()) {
    return;
  }
  auto v =
      static_cast<std::size_t>(std::max_element(finish_.begin(), finish_.end()) - finish_.begin());
  while (true) {
    path.push_back(to_id<OpId>(v));
    std::size_t cause = v;
    for (std::size_t i = in_offset_[v]; i < in_offset_[v + 1] && cause == v; ++i) {
      const auto [source, size] = in_[i];
      if (finish_[source] + problem_->costs.transfer(size, device[source], device[v]) ==
          start_[v]) {
        cause = source;
      }
    }
    const std::size_t before = index(before_[v]);
    if (cause == v && before != v && finish_[before] == start_[v]) {
      cause = before;
    }
    if (cause == v || path.size() > finish_.size()) {
      return;
    }
    v = cause;
  }
}

}  // namespace berth::baselines
