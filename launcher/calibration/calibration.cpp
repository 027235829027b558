// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration.hpp"

#include <algorithm>
#include <string>

#include "berth/error.hpp"
#include "berth/simulator.hpp"

#include "../quartiles.hpp"
#include "calibration_rounds.hpp"
#include "run_samples.hpp"

namespace berth::launcher {
namespace {

/// Typical times of ops and copies add up to less than a run, which meets what is not typical:
/// cold caches, interrupts, other work of the host. One factor brings them to the runs that they
/// were taken from.
void include_stalls(const PlacementProblem& problem,
                    const CalibrationSpec& spec,
                    std::span<const TimedPlacement> fitted,
                    Calibration& found) {
  const auto priced = make_problem(problem.name,
                                   untimed_graph(problem.graph),
                                   calibrated_topology(problem.topology, found, spec.fit_links),
                                   problem.execution);
  Simulator simulator(*priced);
  std::vector<double> ratios;
  for (const TimedPlacement& row : fitted) {
    const double simulated =
        simulator.makespan(row.placement.device) * priced->costs.seconds_per_unit;
    if (simulated > 0.0) {
      ratios.push_back(row.seconds.front() / simulated);
    }
  }
  if (ratios.empty()) {
    return;
  }
  found.stall = median_of(std::move(ratios));
  for (std::vector<OpRate>* rates : {&found.rates, &found.shape_rates}) {
    for (OpRate& rate : *rates) {
      rate.peak.value /= rate.peak.value < kUnlimitedFlops ? found.stall : 1.0;
      rate.memory_bandwidth.value /= found.stall;
      rate.launch_overhead.value *= found.stall;
    }
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
                        std::span<const TimedPlacement> fitted,
                        Calibration& found) {
  const Topology topology = calibrated_topology(problem.topology, found, spec.fit_links);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    const double simulated =
        simulated_seconds(problem, topology, found.run_seconds[i], {&fitted[i].placement, 1})
            .front();
    if (simulated > 0.0) {
      ratios.push_back(fitted[i].seconds.front() / simulated);
    }
  }
  const double stall = ratios.empty() ? 1.0 : median_of(std::move(ratios));
  for (std::vector<double>& run : found.run_seconds) {
    std::ranges::for_each(run, [stall](double& time) { time *= stall; });
  }
}

/// Medians of the compared placements, of all rounds and of every second one.
void find_medians(std::vector<TimedPlacement> compared, Calibration& found) {
  std::vector<std::vector<double>> seconds;  // [placements][rounds]
  for (TimedPlacement& row : compared) {
    seconds.push_back(std::move(row.seconds));
    found.placements.push_back(std::move(row.placement));
  }
  level_rounds(seconds);
  for (const std::vector<double>& times : seconds) {
    found.measured_seconds.push_back(median_of(times));
    std::vector<double> half[2];
    for (std::size_t round = 0; round < times.size(); ++round) {
      half[round % 2].push_back(times[round]);
    }
    if (!half[1].empty()) {
      found.first_seconds.push_back(median_of(half[0]));
      found.again_seconds.push_back(median_of(half[1]));
    }
  }
}

}  // namespace

Calibration calibrate(const PlacementProblem& problem,
                      DeviceExecutor& executor,
                      const CalibrationSpec& spec) {
  CalibrationRounds rounds = run_rounds(problem, executor, spec);
  Calibration found;
  const auto drop_failed = [](std::vector<TimedPlacement>& rows) {
    return std::erase_if(rows, [](const TimedPlacement& row) { return row.failed; });
  };
  found.failed = drop_failed(rounds.compared);
  found.failed_beside = drop_failed(rounds.alone) + drop_failed(rounds.fitted);
  found.reason = rounds.reason;
  RunSamples samples(problem);
  for (const TimedPlacement& row : rounds.alone) {
    std::ranges::for_each(row.traces, [&](const Trace& trace) { samples.add_alone(trace); });
  }
  for (const TimedPlacement& row : rounds.fitted) {
    samples.add(row.traces.front());
  }
  samples.finish(found);
  if (found.rates.empty()) {
    throw RunError("calibrate: no placement of '" + problem.name + "' ran: " + rounds.reason);
  }
  if (rounds.compared.size() < 2) {
    throw RunError("calibrate: " + std::to_string(rounds.compared.size()) + " of " +
                   std::to_string(spec.compared) + " placements of '" + problem.name +
                   "' ran; expected two at least to compare: " + rounds.reason);
  }
  include_stalls(problem, spec, rounds.fitted, found);
  include_run_stalls(problem, spec, rounds.fitted, found);
  find_medians(std::move(rounds.compared), found);
  return found;
}

}  // namespace berth::launcher
