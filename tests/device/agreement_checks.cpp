// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// How well simulated makespans tell measured ones apart, on logical devices.

#include <cmath>

#include "berth/simulator.hpp"

#include "calibration/calibration.hpp"
#include "calibration/rate_fit.hpp"
#include "device_checks.hpp"

namespace berth::device_check {
namespace {

constexpr const char* kNames[] = {"chain-mm", "ffnn", "llama-block", "llama-layer"};

/// Ops that spin for their published times, transfers that take theirs: only what the executor
/// adds tells measured from simulated.
void check_emulated(CheckTable& table) {
  for (const char* name : kNames) {
    const auto problem = workload_on(std::string(name) + ":4", 4, 1, ExecutionModel::kLinks);
    executors::StreamOptions options;
    options.copy_streams = 1;
    const auto executor = open_executor(*problem, options, /*logical=*/true);
    Simulator simulator(*problem);
    std::vector<double> simulated;
    std::vector<double> measured;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Placement placement = random_placement(*problem, seed);
      const Measurement found = executor->measure(placement, {0, 1, 30.0});
      if (found.status == RolloutStatus::kOk) {
        measured.push_back(found.median_seconds);
        simulated.push_back(simulator.makespan(placement.device) * problem->costs.seconds_per_unit);
      }
    }
    if (measured.size() < 20) {
      table.add(std::string("emulated ") + name, false, "some placements did not run");
      continue;
    }
    const launcher::Agreement found = launcher::agreement(simulated, measured);
    table.tell(std::string("emulated ") + name,
               words("rank correlation %.3f, mean error %.1f %%, simulated / measured %.3f",
                     found.rank,
                     100.0 * found.mean_error,
                     found.mean_ratio));
  }
}

/// Real kernels, with costs calibrated on the same devices. They share a GPU's cores.
void check_real(CheckTable& table) {
  const char* const kExtents[] = {"i3200j3200k3200l3200m3200",
                                  "b8192i256o128h8192",
                                  "s1024h2048n16d128f5504v8000",
                                  "s1024h2048n16d128f5504v8000"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    const std::string word = std::string(kNames[i]) + ":4:physical:" + kExtents[i];
    const auto problem = workload_on(word, 4, 1, ExecutionModel::kPull);
    executors::StreamOptions options;
    options.latency_seconds = 20e-6;
    options.bytes_per_second = 25e9;
    const auto executor = open_executor(*problem, options, /*logical=*/true);
    launcher::CalibrationSpec spec;
    spec.fitted = 10;
    spec.compared = 40;
    spec.balance = launcher::Balance::kAny;
    spec.measure = {1, 4, 10.0};
    const launcher::Calibration found = launcher::calibrate(*problem, *executor, spec);
    const auto fitted =
        make_problem(word,
                     problem->graph,
                     launcher::calibrated_topology(problem->topology, found, /*fit_links=*/true),
                     problem->execution);
    const launcher::Agreement rank = launcher::agreement(*fitted, found);
    const launcher::Agreement halves =
        launcher::agreement(found.first_seconds, found.again_seconds);
    table.tell(std::string("calibrated ") + kNames[i],
               words("rank correlation %.3f (ceiling %.3f), mean error %.1f %%",
                     rank.rank,
                     launcher::best_rank(halves.rank),
                     100.0 * rank.mean_error));
  }
}

}  // namespace

void check_agreement(CheckTable& table) {
  check_emulated(table);
  check_real(table);
}

}  // namespace berth::device_check
