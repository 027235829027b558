// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration_rounds.hpp"

#include <algorithm>
#include <utility>

#include "berth/rng.hpp"

#include "../progress.hpp"

namespace berth::launcher {
namespace {

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

bool runs_all(const PlacementProblem& problem, DeviceId device) {
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    if (!problem.costs.can_run(to_id<OpId>(v), device)) {
      return false;
    }
  }
  return true;
}

struct Run {
  TimedPlacement* row;
  bool traced;
  double position;  ///< Within the round, from 0 to 1.
};

std::vector<Run> round_of(CalibrationRounds& rounds, std::size_t round, std::size_t num_rounds) {
  std::vector<Run> runs;
  const auto add =
      [&runs](bool traced, std::vector<TimedPlacement>& rows, std::size_t first, std::size_t step) {
        const auto size = static_cast<double>(rows.size());
        for (std::size_t row = first; row < rows.size(); row += step) {
          const double middle = static_cast<double>(row - first) + 0.5 * static_cast<double>(step);
          runs.push_back({&rows[row], traced, middle / size});
        }
      };
  add(true, rounds.alone, 0, 1);
  add(true, rounds.fitted, round, num_rounds);
  add(false, rounds.compared, 0, 1);
  std::ranges::stable_sort(runs, {}, &Run::position);
  if (round % 2 == 1) {
    std::ranges::reverse(runs);
  }
  return runs;
}

}  // namespace

CalibrationRounds run_rounds(const PlacementProblem& problem,
                             DeviceExecutor& executor,
                             const CalibrationSpec& spec) {
  CalibrationRounds rounds;
  for (std::size_t d = 0; d < problem.topology.num_devices(); ++d) {
    if (runs_all(problem, to_id<DeviceId>(d))) {
      rounds.alone.emplace_back().placement.device.assign(problem.graph.num_ops(),
                                                          to_id<DeviceId>(d));
    }
  }
  for (std::size_t row = 0; row < spec.fitted + spec.compared; ++row) {
    auto& rows = row < spec.fitted ? rounds.fitted : rounds.compared;
    rows.emplace_back().placement = random_placement(problem, spec, row);
  }
  MeasureSpec once = spec.measure;
  once.repeats = 1;
  Progress progress(
      "calibrate",
      spec.fitted + spec.measure.repeats * (rounds.alone.size() + rounds.compared.size()));
  for (std::size_t round = 0; round < spec.measure.repeats; ++round) {
    for (const Run& run : round_of(rounds, round, spec.measure.repeats)) {
      progress.next("round " + std::to_string(round + 1));
      if (run.row->failed) {
        continue;
      }
      Measurement measured = executor.measure(run.row->placement, once);
      if (measured.status != RolloutStatus::kOk) {
        run.row->failed = true;
        rounds.reason = std::move(measured.reason);
        continue;
      }
      run.row->seconds.push_back(measured.median_seconds);
      if (run.traced) {
        run.row->traces.push_back(executor.last_trace());
      }
    }
  }
  return rounds;
}

}  // namespace berth::launcher
