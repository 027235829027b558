// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "berth/error.hpp"
#include "berth/rng.hpp"
#include "berth/simulator.hpp"

#include "../execute_rounds.hpp"

namespace berth::launcher {
namespace {

double median_seconds_of(std::vector<double> values) {
  return quartiles_of(std::move(values)).median;
}

Placement random_placement(const PlacementProblem& problem,
                           const CalibrationSpec& spec,
                           std::uint64_t row) {
  constexpr std::uint64_t kPurpose = 0x63616c6962;  // "calib"
  Rng rng(spec.seed, {kPurpose, row});
  const std::size_t devices = problem.topology.num_devices();
  std::vector<double> weight(devices, 1.0);
  if (spec.balance == Balance::kAny) {
    std::ranges::generate(weight, [&rng] { return 1e-6 + rng.uniform(); });
  }
  Placement placement;
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    double sum = 0.0;
    for (std::size_t d = 0; d < devices; ++d) {
      sum += problem.costs.can_run(to_id<OpId>(v), to_id<DeviceId>(d)) ? weight[d] : 0.0;
    }
    double left = rng.uniform() * sum;
    std::size_t chosen = devices;
    for (std::size_t d = 0; d < devices && left >= 0.0; ++d) {
      if (problem.costs.can_run(to_id<OpId>(v), to_id<DeviceId>(d))) {
        chosen = d;
        left -= weight[d];
      }
    }
    placement.device.push_back(to_id<DeviceId>(chosen));
  }
  return placement;
}

/// Collects what traces say of ops and transfers.
class Samples {
 public:
  explicit Samples(const PlacementProblem& problem)
      : problem_(problem),
        devices_(problem.topology.num_devices()),
        alone_(problem.graph.num_ops() * devices_),
        beside_(alone_.size()) {}

  /// A run in which the devices worked side by side.
  void add(const Trace& trace) {
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

  /// A run with all on one device: what lies between its ops is the dispatcher's.
  void add_alone(const Trace& trace) {
    add_ops(trace, alone_);
    double busy = 0.0;
    for (const OpInterval& op : trace.ops) {
      busy += op.finish - op.start;
    }
    gaps_.push_back(std::max(0.0, trace.makespan - busy) * trace.seconds_per_unit /
                    static_cast<double>(trace.ops.size()));
  }

  void finish(Calibration& found) const {
    found.dispatch_seconds = gaps_.empty() ? 0.0 : median_seconds_of(gaps_);
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
            median_seconds_of(own.empty() ? all : own) + found.dispatch_seconds;
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

 private:
  void add_ops(const Trace& trace, std::vector<std::vector<double>>& samples) const {
    for (const OpInterval& op : trace.ops) {
      samples[index(op.op) * devices_ + index(op.device)].push_back((op.finish - op.start) *
                                                                    trace.seconds_per_unit);
    }
  }

  /// Side by side where there are a few such samples, since that is how placements run.
  [[nodiscard]] const std::vector<double>& of_op(std::size_t row) const {
    constexpr std::size_t kFew = 3;
    return beside_[row].size() >= kFew || alone_[row].empty() ? beside_[row] : alone_[row];
  }

  /// The op times of each run; on the devices where an op did not run in proportion to its medians.
  void find_runs(Calibration& found) const {
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
  void find_slowdown(Calibration& found) const {
    double alone = 0.0;
    double beside = 0.0;
    for (std::size_t row = 0; row < alone_.size(); ++row) {
      if (!alone_[row].empty() && !beside_[row].empty()) {
        alone += median_seconds_of(alone_[row]);
        beside += median_seconds_of(beside_[row]);
      }
    }
    found.slowdown = alone > 0.0 ? beside / alone : 1.0;
  }

  /// From run to run, of ops with enough samples to tell.
  void find_variation(Calibration& found) const {
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
    found.variation = all.empty() ? 0.0 : median_seconds_of(std::move(all));
  }

  [[nodiscard]] double edge_bytes(const TransferInterval& transfer) const {
    const Graph& graph = problem_.graph;
    double bytes = 0.0;
    const std::size_t v = index(transfer.producer);
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      bytes = std::max(bytes, graph.edge_size()[e]);
    }
    return bytes;
  }

  void fit_rates(Calibration& found) const {
    const Graph& graph = problem_.graph;
    std::map<std::string, std::vector<OpSample>, std::less<>> by_name;
    for (std::size_t v = 0; v < graph.num_ops(); ++v) {
      for (std::size_t d = 0; d < devices_; ++d) {
        const double seconds = found.op_seconds[v * devices_ + d];
        if (!of_op(v * devices_ + d).empty() && seconds > 0.0) {
          by_name[std::string(graph.rate_name(to_id<OpId>(v)))].push_back(
              {graph.work()[v], graph.touched_bytes()[v], seconds});
        }
      }
    }
    for (const auto& [name, samples] : by_name) {
      found.rates.push_back(fit_rate(name, samples));
    }
  }

  const PlacementProblem& problem_;
  std::size_t devices_;
  std::vector<std::vector<double>> alone_;     ///< [ops * devices] seconds, the others at rest.
  std::vector<std::vector<double>> beside_;    ///< [ops * devices] seconds, all at work.
  std::vector<std::vector<OpInterval>> runs_;  ///< [runs][ops] of those side by side, in seconds.
  std::vector<double> bytes_;
  std::vector<double> transfer_seconds_;
  std::vector<double> gaps_;
};

/// Typical times of ops and copies add up to less than a run, which meets what is not typical:
/// cold caches, interrupts, other work of the host. One factor brings them to the runs that they
/// were taken from.
void include_stalls(const PlacementProblem& problem,
                    const CalibrationSpec& spec,
                    std::span<const Placement> placements,
                    std::span<const double> seconds,
                    Calibration& found) {
  const auto priced = make_problem(problem.name,
                                   problem.graph,
                                   calibrated_topology(problem.topology, found, spec.fit_links),
                                   problem.execution);
  Simulator simulator(*priced);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const double simulated =
        simulator.makespan(placements[i].device) * priced->costs.seconds_per_unit;
    if (simulated > 0.0) {
      ratios.push_back(seconds[i] / simulated);
    }
  }
  if (ratios.empty()) {
    return;
  }
  found.stall = median_seconds_of(std::move(ratios));
  for (OpRate& rate : found.rates) {
    rate.peak.value /= rate.peak.value < kUnlimitedFlops ? found.stall : 1.0;
    rate.memory_bandwidth.value /= found.stall;
    rate.launch_overhead.value *= found.stall;
  }
  for (double& time : found.op_seconds) {
    time *= found.stall;
  }
  found.link = {found.link.offset * found.stall, found.link.slope * found.stall};
}

/// The same for the op times of single runs, which contain more of what is not typical: one factor
/// brings the simulation of each run by its own times to what it took.
void include_run_stalls(const PlacementProblem& problem,
                        const CalibrationSpec& spec,
                        std::span<const Placement> placements,
                        std::span<const double> seconds,
                        Calibration& found) {
  const Topology topology = calibrated_topology(problem.topology, found, spec.fit_links);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const double simulated =
        simulated_seconds(problem, topology, found.run_seconds[i], {&placements[i], 1}).front();
    if (simulated > 0.0) {
      ratios.push_back(seconds[i] / simulated);
    }
  }
  const double stall = ratios.empty() ? 1.0 : median_seconds_of(std::move(ratios));
  for (std::vector<double>& run : found.run_seconds) {
    std::ranges::for_each(run, [stall](double& time) { time *= stall; });
  }
}

/// Runs the compared placements in rounds, one run of each, forth and back, so that what the host
/// does meanwhile is not taken for a property of a placement; each round's times are then brought
/// to the same median. Even and odd rounds tell how well measurements agree with themselves.
template <class Run>
void compare(const PlacementProblem& problem,
             const CalibrationSpec& spec,
             const Run& run,
             Calibration& found) {
  MeasureSpec once = spec.measure;
  once.repeats = 1;
  std::vector<Placement> placements;
  for (std::size_t row = 0; row < spec.compared; ++row) {
    placements.push_back(random_placement(problem, spec, spec.fitted + row));
  }
  std::vector<std::vector<double>> seconds(spec.compared);  // [placements][rounds]
  std::vector<char> runs(spec.compared, 1);
  for (std::uint32_t round = 0; round < spec.measure.repeats; ++round) {
    for (std::size_t i = 0; i < placements.size(); ++i) {
      const std::size_t row = round % 2 == 0 ? i : placements.size() - 1 - i;
      if (runs[row] != 0) {
        const Measurement measured = run(placements[row], once);
        runs[row] = measured.status == RolloutStatus::kOk ? 1 : 0;
        seconds[row].push_back(measured.median_seconds);
      }
    }
  }
  std::vector<std::vector<double>> kept;
  for (std::size_t row = 0; row < placements.size(); ++row) {
    if (runs[row] != 0) {
      kept.push_back(std::move(seconds[row]));
      found.placements.push_back(std::move(placements[row]));
    }
  }
  level_rounds(kept);
  for (const std::vector<double>& times : kept) {
    found.measured_seconds.push_back(median_seconds_of(times));
    std::vector<double> half[2];
    for (std::size_t round = 0; round < times.size(); ++round) {
      half[round % 2].push_back(times[round]);
    }
    if (!half[1].empty()) {
      found.first_seconds.push_back(median_seconds_of(half[0]));
      found.again_seconds.push_back(median_seconds_of(half[1]));
    }
  }
}

}  // namespace

Calibration calibrate(const PlacementProblem& problem,
                      DeviceExecutor& executor,
                      const CalibrationSpec& spec) {
  Calibration found;
  Samples samples(problem);
  MeasureSpec once = spec.measure;
  once.repeats = 1;
  std::string reason;
  const auto run = [&](const Placement& placement, const MeasureSpec& measure) {
    const Measurement measured = executor.measure(placement, measure);
    if (measured.status != RolloutStatus::kOk) {
      ++found.failed;
      reason = measured.reason;
    }
    return measured;
  };
  for (std::size_t d = 0; d < problem.topology.num_devices(); ++d) {
    Placement placement;
    placement.device.assign(problem.graph.num_ops(), to_id<DeviceId>(d));
    for (std::uint32_t i = 0; i < spec.measure.repeats; ++i) {
      if (run(placement, once).status == RolloutStatus::kOk) {
        samples.add_alone(executor.last_trace());
      }
    }
  }
  std::vector<Placement> fitted;
  std::vector<double> fitted_seconds;
  for (std::size_t row = 0; row < spec.fitted; ++row) {
    const Placement placement = random_placement(problem, spec, row);
    const Measurement measured = run(placement, once);
    if (measured.status == RolloutStatus::kOk) {
      samples.add(executor.last_trace());
      fitted.push_back(placement);
      fitted_seconds.push_back(measured.median_seconds);
    }
  }
  samples.finish(found);
  if (found.rates.empty()) {
    throw RunError("calibrate: no placement of '" + problem.name + "' ran: " + reason);
  }
  include_stalls(problem, spec, fitted, fitted_seconds, found);
  include_run_stalls(problem, spec, fitted, fitted_seconds, found);
  compare(problem, spec, run, found);
  if (found.placements.size() < 2) {
    throw RunError("calibrate: " + std::to_string(found.placements.size()) + " of " +
                   std::to_string(spec.compared) + " placements of '" + problem.name +
                   "' ran; expected two at least to compare: " + reason);
  }
  return found;
}

}  // namespace berth::launcher
