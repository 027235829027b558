// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "job_tracker.hpp"
#include "mix_report.hpp"

namespace berth::launcher {

/// One job under one seed, trained as merged copies and on one node at a time, with the same steps
/// in all. Metrics are on test samples.
struct QualitySample {
  double merged = 0.0;
  double single = 0.0;
  double single_when_merged_is_done = 0.0;  ///< At the merged run's finish of the job.
  double merged_seconds = 0.0;              ///< JCT
  double single_seconds = 0.0;
};

/// One row of the table: a job, over seeds.
struct QualityRow {
  std::string job;
  std::string metric;
  bool larger_is_better = false;
  std::uint64_t steps = 0;
  std::vector<QualitySample> samples;  ///< One a seed.
};

/// Mean and its 95 % interval by Student's t; half-width 0 for one value.
struct Interval {
  double mean = 0.0;
  double half_width = 0.0;
};
[[nodiscard]] Interval mean_interval(const std::vector<double>& values);

/// A job's metric at a time of the run's clock: of its last round done by then.
[[nodiscard]] double metric_at(const JobTracker& tracker, std::uint32_t job, double clock_seconds);

/// Adds the two finished runs of a seed to the rows, which are made when empty.
void add_seed(std::vector<QualityRow>& rows, const JobTracker& merged, const JobTracker& single);

/// "better" or "worse" where the interval of the paired differences excludes 0, else "no difference
/// shown".
[[nodiscard]] std::string quality_table(const std::vector<QualityRow>& rows);
/// How wrong rates were before they were measured, over the merged runs of all seeds.
[[nodiscard]] std::string estimates_text(const std::vector<EstimateError>& seeds);
/// One JSON line a job.
[[nodiscard]] std::string quality_json(const std::vector<QualityRow>& rows);

}  // namespace berth::launcher
