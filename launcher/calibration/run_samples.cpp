// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "run_samples.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "../quartiles.hpp"

namespace berth::launcher {

RunSamples::RunSamples(const PlacementProblem& problem)
    : problem_(problem),
      devices_(problem.topology.num_devices()),
      alone_(problem.graph.num_ops() * devices_),
      beside_(alone_.size()) {}

void RunSamples::add(const Trace& trace) {
  add_ops(trace, beside_);
  runs_.push_back(trace.ops);
  for (OpInterval& op : runs_.back()) {
    op.start *= trace.seconds_per_unit;
    op.finish *= trace.seconds_per_unit;
  }
  for (const TransferInterval& transfer : trace.transfers) {
    const double seconds = (transfer.finish - transfer.start) * trace.seconds_per_unit;
    if (seconds > 0.0) {
      bytes_.push_back(edge_bytes(transfer));
      transfer_seconds_.push_back(seconds);
    }
  }
}

void RunSamples::add_alone(const Trace& trace) {
  add_ops(trace, alone_);
  double busy = 0.0;
  for (const OpInterval& op : trace.ops) {
    busy += op.finish - op.start;
  }
  gaps_.push_back(std::max(0.0, trace.makespan - busy) * trace.seconds_per_unit /
                  static_cast<double>(trace.ops.size()));
}

void RunSamples::finish(Calibration& found) const {
  found.dispatch_seconds = gaps_.empty() ? 0.0 : median_of(gaps_);
  found.op_seconds.assign(alone_.size(), 0.0);
  for (std::size_t v = 0; v < problem_.graph.num_ops(); ++v) {
    std::vector<double> all;
    for (std::size_t d = 0; d < devices_; ++d) {
      const auto& own = of_op(v * devices_ + d);
      all.insert(all.end(), own.begin(), own.end());
    }
    for (std::size_t d = 0; d < devices_ && !all.empty(); ++d) {
      const auto& own = of_op(v * devices_ + d);
      found.op_seconds[v * devices_ + d] =
          median_of(own.empty() ? all : own) + found.dispatch_seconds;
    }
  }
  find_runs(found);
  find_slowdown(found);
  find_variation(found);
  fit_rates(found);
  if (!bytes_.empty()) {
    found.link = fit_line(bytes_, transfer_seconds_);
    found.transfers = bytes_.size();
  }
}

void RunSamples::add_ops(const Trace& trace, std::vector<std::vector<double>>& samples) const {
  for (const OpInterval& op : trace.ops) {
    samples[index(op.op) * devices_ + index(op.device)].push_back((op.finish - op.start) *
                                                                  trace.seconds_per_unit);
  }
}

/// Side by side where there are a few such samples, since that is how placements run.
const std::vector<double>& RunSamples::of_op(std::size_t row) const {
  constexpr std::size_t kFew = 3;
  return beside_[row].size() >= kFew || alone_[row].empty() ? beside_[row] : alone_[row];
}

/// The op times of each run; on the devices where an op did not run in proportion to its medians.
void RunSamples::find_runs(Calibration& found) const {
  for (const std::vector<OpInterval>& run : runs_) {
    std::vector<double> times = found.op_seconds;
    for (const OpInterval& op : run) {
      const std::size_t row = index(op.op) * devices_;
      const double median = found.op_seconds[row + index(op.device)];
      const double seconds = op.finish - op.start + found.dispatch_seconds;
      for (std::size_t d = 0; d < devices_ && median > 0.0; ++d) {
        times[row + d] *= seconds / median;
      }
    }
    found.run_seconds.push_back(std::move(times));
  }
}

/// How much longer ops take side by side: shared caches and memory, and the host's other work.
void RunSamples::find_slowdown(Calibration& found) const {
  double alone = 0.0;
  double beside = 0.0;
  for (std::size_t row = 0; row < alone_.size(); ++row) {
    if (!alone_[row].empty() && !beside_[row].empty()) {
      alone += median_of(alone_[row]);
      beside += median_of(beside_[row]);
    }
  }
  found.slowdown = alone > 0.0 && devices_ > 1 ? beside / alone : 0.0;
}

/// From run to run, of ops with enough samples to tell.
void RunSamples::find_variation(Calibration& found) const {
  constexpr std::size_t kEnough = 8;
  constexpr double kQuartilesOfNormal = 1.349;  // between them, in standard deviations
  std::vector<double> all;
  for (const std::vector<double>& times : beside_) {
    if (times.size() < kEnough) {
      continue;
    }
    const Quartiles quartiles = quartiles_of(times);
    if (quartiles.first > 0.0) {
      all.push_back(std::log(quartiles.third / quartiles.first) / kQuartilesOfNormal);
    }
  }
  found.variation = all.empty() ? 0.0 : median_of(std::move(all));
}

double RunSamples::edge_bytes(const TransferInterval& transfer) const {
  const Graph& graph = problem_.graph;
  double bytes = 0.0;
  const std::size_t v = index(transfer.producer);
  for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
    bytes = std::max(bytes, graph.edge_size()[e]);
  }
  return bytes;
}

void RunSamples::fit_rates(Calibration& found) const {
  const Graph& graph = problem_.graph;
  std::map<std::string, std::vector<OpSample>> by_name;
  std::map<std::string, std::vector<OpSample>> by_shape;
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    const auto op = to_id<OpId>(v);
    for (std::size_t d = 0; d < devices_; ++d) {
      const double seconds = found.op_seconds[v * devices_ + d];
      if (of_op(v * devices_ + d).empty() || seconds <= 0.0) {
        continue;
      }
      const OpSample sample{graph.work()[v], graph.touched_bytes()[v], seconds};
      by_name[std::string(graph.rate_name(op))].push_back(sample);
      by_shape[graph.rate_shape(op)].push_back(sample);
    }
  }
  for (const auto& [name, samples] : by_name) {
    found.rates.push_back(fit_rate(name, samples));
    by_shape.erase(name);
  }
  by_shape.erase("");  // ops without kernels
  for (const auto& [shape, samples] : by_shape) {
    found.shape_rates.push_back(fit_rate(shape, samples));
  }
}

}  // namespace berth::launcher
