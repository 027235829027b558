// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Learning from runs on logical devices, as far as that goes without MPI and LibTorch: challengers
// are drawn around the incumbent, screened by the simulator, run in turn with the incumbent and
// adopted only after runs that confirm them, as in a stage of kind execution; a network does not
// draw them. The whole of it is `berth train` with executor = "cuda(logical=4)".

#include <algorithm>

#include "berth/rng.hpp"
#include "berth/simulator.hpp"

#include "device_checks.hpp"
#include "execute_rounds.hpp"
#include "quartiles.hpp"

namespace berth::device_check {
namespace {

/// The best of random placements by simulation, bettered by single moves.
Placement start_placement(const PlacementProblem& problem, Simulator& simulator) {
  Rng rng(1, {23});
  Placement best = random_placement(problem, 0);
  double least = simulator.makespan(best.device);
  for (int move = 0; move < 2000; ++move) {
    Placement other = best;
    other.device[rng.below(other.device.size())] =
        to_id<DeviceId>(rng.below(problem.topology.num_devices()));
    const double time = simulator.makespan(other.device);
    if (time <= least) {
      least = time;
      best = std::move(other);
    }
  }
  return best;
}

Placement challenger_of(const Placement& incumbent, std::size_t devices, Rng& rng) {
  Placement other = incumbent;
  const std::size_t moves = 1 + rng.below(4);
  for (std::size_t m = 0; m < moves; ++m) {
    other.device[rng.below(other.device.size())] = to_id<DeviceId>(rng.below(devices));
  }
  return other;
}

/// Ratio of medians of the second to the first, over rounds in turn; infinite if one failed.
double ratio_of(DeviceExecutor& executor,
                const Placement& first,
                const Placement& second,
                std::uint32_t rounds) {
  const std::vector<Placement> both = {first, second};
  const auto found = launcher::measure_in_turn(both, executor, {1, rounds, 10.0});
  if (found[0].status != RolloutStatus::kOk || found[1].status != RolloutStatus::kOk) {
    return 1e30;
  }
  return launcher::median_of(found[1].seconds) / launcher::median_of(found[0].seconds);
}

}  // namespace

void check_campaign(CheckTable& table) {
  constexpr double kMargin = 0.99;
  const auto problem = workload_on(
      "llama-layer:4:physical:s1024h2048n16d128f5504v8000", 4, 1, ExecutionModel::kPull);
  executors::StreamOptions options;
  options.latency_seconds = 20e-6;
  options.bytes_per_second = 25e9;
  const auto executor = open_executor(*problem, options, /*logical=*/true);
  Simulator simulator(*problem);
  const Placement start = start_placement(*problem, simulator);
  Placement incumbent = start;
  Rng rng(1, {29});
  int runs = 0;
  int screened = 0;
  int adopted = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const Placement other = challenger_of(incumbent, problem->topology.num_devices(), rng);
    if (simulator.makespan(other.device) > 1.25 * simulator.makespan(incumbent.device)) {
      ++screened;
      continue;
    }
    ++runs;
    if (ratio_of(*executor, incumbent, other, 3) < kMargin &&
        ratio_of(*executor, incumbent, other, 7) < kMargin) {
      incumbent = other;
      ++adopted;
    }
  }
  const double gain = ratio_of(*executor, start, incumbent, 15);
  table.add("short campaign, llama-layer",
            gain < 1.05,
            words("%d measured, %d screened, %d adopted; now %.3f of the start",
                  runs,
                  screened,
                  adopted,
                  gain));
}

}  // namespace berth::device_check
