// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/cluster_metrics.hpp"

namespace berth::launcher {

/// One scheduler on one trace, a metric per seed.
struct BenchRow {
  std::string scheduler;
  std::vector<ClusterMetrics> seeds;
  std::vector<double> bound_seconds;      ///< Of TTD, per seed.
  std::vector<double> seconds_per_round;  ///< Spent by the scheduler, per seed.
};

/// The schedulers on one kind of trace.
struct BenchTrace {
  std::string name;  ///< "static" or "poisson".
  std::string word;  ///< Of the first seed, for berth schedule.
  std::size_t jobs = 0;
  std::vector<BenchRow> rows;
};

/// One mix of HadarE's evaluation at one slot length.
struct BenchMix {
  std::size_t jobs = 0;
  double slot_seconds = 0.0;
  double bound_seconds = 0.0;   ///< Divisible load.
  ClusterMetrics fork, whole;   ///< HadarE with all copies, and with one of each job.
  ClusterMetrics hadar, gavel;  ///< Whole jobs, a round a slot.
};

/// A gain as measured here, with what the papers say beside it.
struct BenchGain {
  std::string quantity;
  std::string unit;              ///< "x" or "%".
  std::vector<double> measured;  ///< One per seed or mix.
  std::string published;         ///< As reported; "-" where nothing is.
};

struct HadarBench {
  std::string throughputs;
  std::string cluster;
  std::string nodes;
  std::vector<BenchTrace> traces;
  std::vector<BenchMix> mixes;
  std::vector<BenchGain> gains;
  std::size_t many_jobs = 0;  ///< Of the run that measures the scheduler's time; 0: left out.
  double many_jobs_scheduler_seconds = 0.0;
  double run_seconds = 0.0;  ///< Of all comparisons together, by the clock.
};

/// Tables for people on standard output.
void print_hadar_bench(const HadarBench& bench);
/// A JSON document a line: rows, mixes, gains.
void print_hadar_bench_json(const HadarBench& bench);
/// The tables as one self-contained page. @throws InputError, RunError if it cannot be written.
void write_hadar_bench_page(const HadarBench& bench, const std::string& file);

}  // namespace berth::launcher
