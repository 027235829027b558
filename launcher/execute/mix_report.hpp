// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/cluster_scheduler.hpp"

#include "job_tracker.hpp"

namespace berth::launcher {

/// What became of one job.
struct JobResult {
  std::string name;
  std::string model;
  std::string metric;
  double value = 0.0;  ///< On test samples, of the merged model.
  double start = 0.0;  ///< The same before the first step.
  std::uint64_t steps = 0;
  std::uint32_t rounds = 0;
  std::size_t most_copies = 0;
  std::uint32_t restarts = 0;
  double jct_seconds = 0.0;
};

/// How good rates were before they were measured: factors max(a/b, b/a) over (job, node) pairs.
struct EstimateError {
  std::size_t pairs = 0;
  double median_factor = 1.0;
  double worst_factor = 1.0;
  std::size_t ordered_right = 0;  ///< Of pairs of nodes of one job, those ranked as measured.
  std::size_t node_pairs = 0;
};

/// Of the rates that were first estimated and then measured.
[[nodiscard]] EstimateError estimate_error(const JobTracker& tracker);

/// A finished run of a mix.
struct MixResult {
  std::string scheduler;
  std::uint64_t seed = 0;
  std::size_t nodes = 0;
  std::uint64_t rounds = 0;
  std::vector<JobResult> jobs;
  double ttd_seconds = 0.0;  ///< Last finish; all jobs arrive at 0.
  double mean_jct_seconds = 0.0;
  double cru = 0.0;                     ///< Busy node-seconds / (nodes x TTD).
  std::optional<double> bound_seconds;  ///< Of TTD, at the mean rates of the run.
  EstimateError estimate;
};

[[nodiscard]] MixResult summarise(const JobTracker& tracker,
                                  const ClusterScheduler& scheduler,
                                  const std::string& scheduler_text,
                                  std::uint64_t seed);

/// The closing table, denominators named.
[[nodiscard]] std::string to_table(const MixResult& result, const Mix& mix);
/// The same as one JSON line.
[[nodiscard]] std::string to_json_line(const MixResult& result, const Mix& mix);

/// The rows of the round done last, one a copy; `with_header` for the first ones printed.
[[nodiscard]] std::string round_rows(const JobTracker& tracker, bool with_header);
/// The round done last as one JSON line.
[[nodiscard]] std::string round_json(const JobTracker& tracker);

/// A Chrome trace (chrome://tracing, Perfetto) of all rounds: a row a node, a bar a copy.
/// @throws InputError if it cannot be created, RunError if writing fails.
void write_chrome_trace(const JobTracker& tracker, const std::string& file);

}  // namespace berth::launcher
