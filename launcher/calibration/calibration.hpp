// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "berth/device_executor.hpp"
#include "berth/problem.hpp"

#include "rate_fit.hpp"

namespace berth::launcher {

/// How random placements share ops out.
enum class Balance : std::uint8_t {
  kEven,  ///< Every device is as likely.
  kAny,   ///< Each placement first draws how likely each device is: from balanced to one-sided.
};

struct CalibrationSpec {
  std::size_t fitted = 20;     ///< Random placements whose ops are fitted.
  std::size_t compared = 100;  ///< Others, on which simulated and measured times are compared.
  std::uint64_t seed = 1;
  Balance balance = Balance::kEven;
  MeasureSpec measure;    ///< Repeats are rounds over all compared ones, in which the others run.
  bool fit_links = true;  ///< False where links are emulated: they are what was asked for.
};

/// What measuring found.
struct Calibration {
  std::vector<OpRate> rates;        ///< Of functions, or kinds of ops without kernels, by name.
  std::vector<OpRate> shape_rates;  ///< Of shapes of these, which hold before them, by name.
  std::vector<double> op_seconds;   ///< [ops * devices] median of each op on each device, with the
                                    ///< dispatcher's time; the other devices' where it never ran.
  std::vector<std::vector<double>> run_seconds;  ///< [fitted placements that ran][ops * devices]
                                                 ///< the same in one run, with a stall of its own.
  double stall = 1.0;             ///< Runs of the fitted placements over their simulation by these
                                  ///< times alone; all times of this calibration contain it.
  double slowdown = 0.0;          ///< Ops beside another busy device over the same ops alone; 0:
                                  ///< not both were measured.
  double variation = 0.0;         ///< Standard deviation of the logarithm of an op's time from run
                                  ///< to run of random placements, by quartiles; the median over
                                  ///< ops. 0: no op ran eight times on a device.
  double dispatch_seconds = 0.0;  ///< Between the end of an op and the start of the next.
  Line link;                      ///< Seconds of a transfer over bytes; of no use unless fit_links.
  std::size_t transfers = 0;      ///< Samples of `link`.
  std::vector<Placement> placements;     ///< Compared ones that ran.
  std::vector<double> measured_seconds;  ///< [placements] medians over rounds.
  std::vector<double> first_seconds;     ///< [placements] medians of every second round, from the
                                         ///< first; empty at one repeat.
  std::vector<double> again_seconds;     ///< Those of the other rounds.
  std::size_t failed = 0;                ///< Compared ones that did not run.
  std::size_t failed_beside = 0;         ///< Others that did not: fitted, or all on one device.
  std::string reason;                    ///< Of the last that did not; empty: all ran.
};

/// Measures all on one device for each device, and random placements, in rounds.
/// @throws RunError if nothing could be measured, or fewer than two placements compared.
[[nodiscard]] Calibration calibrate(const PlacementProblem& problem,
                                    DeviceExecutor& executor,
                                    const CalibrationSpec& spec);

/// Brings the median of each round to the median of these medians. @param seconds
/// [placements][rounds]
void level_rounds(std::vector<std::vector<double>>& seconds);

/// The highest rank correlation that a perfect prediction can be expected to have with medians
/// over all rounds, if those over either half of them have `between_halves` with each other: the
/// square root of the reliability by the formula of Spearman and Brown, 2 r / (1 + r).
[[nodiscard]] double best_rank(double between_halves);

/// The topology with the fitted rates, and links as fitted unless `fit_links` is false.
[[nodiscard]] Topology calibrated_topology(const Topology& topology,
                                           const Calibration& found,
                                           bool fit_links);

/// The graph without times of its own, so that rates count.
[[nodiscard]] Graph untimed_graph(const Graph& graph);

/// The graph with every op's measured time on every device. @param op_seconds [ops * devices]
[[nodiscard]] Graph calibrated_graph(const Graph& graph,
                                     std::span<const double> op_seconds,
                                     std::size_t devices);

/// What the simulator says of `placements` where the ops take `op_seconds`, [ops * devices].
[[nodiscard]] std::vector<double> simulated_seconds(const PlacementProblem& problem,
                                                    const Topology& topology,
                                                    std::span<const double> op_seconds,
                                                    std::span<const Placement> placements);

/// How well one set of times tells placements apart that took another.
struct Agreement {
  double rank = 0.0;        ///< Spearman's coefficient; NaN if all are alike on one side.
  double mean_error = 0.0;  ///< Mean of |predicted / measured - 1|.
  double mean_ratio = 0.0;  ///< Mean of predicted / measured.
};
/// @pre equal sizes, not empty, all > 0.
[[nodiscard]] Agreement agreement(std::span<const double> predicted,
                                  std::span<const double> measured);
/// The simulator under the costs of `problem` against what was measured.
[[nodiscard]] Agreement agreement(const PlacementProblem& problem, const Calibration& found);
/// The same by the median of 100 simulations in which the times of ops vary by `found.variation`,
/// as they do from run to run: which op a device takes next hangs on small differences, so that one
/// simulation is one of many runs.
[[nodiscard]] Agreement agreement_of_varied(const PlacementProblem& problem,
                                            const Calibration& found);
/// The same by the median of one simulation for each fitted run, with that run's op times.
/// @pre run_seconds is not empty.
[[nodiscard]] Agreement agreement_by_runs(const PlacementProblem& problem,
                                          const Calibration& found);

}  // namespace berth::launcher
