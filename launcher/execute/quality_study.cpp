// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "quality_study.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "table.hpp"

namespace berth::launcher {
namespace {

/// 0.975 quantiles of Student's t by degrees of freedom, from 1.
constexpr double kStudent[] = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};

std::vector<double> column(const QualityRow& row, double QualitySample::*field) {
  std::vector<double> values;
  for (const QualitySample& sample : row.samples) {
    values.push_back(sample.*field);
  }
  return values;
}

/// merged - other, seed by seed.
std::vector<double> differences(const QualityRow& row, double QualitySample::*other) {
  std::vector<double> values;
  for (const QualitySample& sample : row.samples) {
    values.push_back(sample.merged - sample.*other);
  }
  return values;
}

std::string interval_text(const std::vector<double>& values) {
  const Interval interval = mean_interval(values);
  char width[32];
  const bool is_rounding = interval.half_width < 1e-12 * std::fabs(interval.mean);
  std::snprintf(width, sizeof width, "%.2g", is_rounding ? 0.0 : interval.half_width);
  return significant(interval.mean) + " ± " + width;
}

std::string verdict(const QualityRow& row, double QualitySample::*other) {
  const Interval difference = mean_interval(differences(row, other));
  if (row.samples.size() < 2 || std::fabs(difference.mean) <= difference.half_width) {
    return "no difference shown";
  }
  return (difference.mean > 0.0) == row.larger_is_better ? "better" : "worse";
}

}  // namespace

Interval mean_interval(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Interval interval;
  for (const double value : values) {
    interval.mean += value / n;
  }
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - interval.mean) * (value - interval.mean);
  }
  if (values.size() > 1) {
    const std::size_t freedom = values.size() - 1;
    const double t = freedom <= std::size(kStudent) ? kStudent[freedom - 1] : 2.2;
    interval.half_width = t * std::sqrt(squares / (n - 1.0) / n);
  }
  return interval;
}

double metric_at(const JobTracker& tracker, std::uint32_t job, double clock_seconds) {
  double value = tracker.jobs()[job].facts.start.value;
  for (const ScoreRecord& score : tracker.scores()) {
    if (score.job == job && score.clock_seconds <= clock_seconds) {
      value = score.test;
    }
  }
  return value;
}

void add_seed(std::vector<QualityRow>& rows, const JobTracker& merged, const JobTracker& single) {
  constexpr double kEnd = HUGE_VAL;
  rows.resize(merged.jobs().size());
  for (std::uint32_t id = 0; id < rows.size(); ++id) {
    const TrackedJob& job = merged.jobs()[id];
    QualityRow& row = rows[id];
    row.job = job.name;
    row.metric = job.facts.start.metric;
    row.larger_is_better = job.facts.start.larger_is_better;
    row.steps = job.facts.steps;
    row.samples.push_back({metric_at(merged, id, kEnd),
                           metric_at(single, id, kEnd),
                           metric_at(single, id, job.finish_seconds),
                           job.finish_seconds,
                           single.jobs()[id].finish_seconds});
  }
}

std::string quality_table(const std::vector<QualityRow>& rows) {
  Table table({"job",
               "metric",
               "steps",
               "merged copies",
               "one node, same steps",
               "merged is",
               "one node, same time",
               "merged is",
               "JCT s merged",
               "one node"});
  for (const QualityRow& row : rows) {
    table.add_row({row.job,
                   row.metric,
                   std::to_string(row.steps),
                   interval_text(column(row, &QualitySample::merged)),
                   interval_text(column(row, &QualitySample::single)),
                   verdict(row, &QualitySample::single),
                   interval_text(column(row, &QualitySample::single_when_merged_is_done)),
                   verdict(row, &QualitySample::single_when_merged_is_done),
                   interval_text(column(row, &QualitySample::merged_seconds)),
                   interval_text(column(row, &QualitySample::single_seconds))});
  }
  const std::size_t seeds = rows.empty() ? 0 : rows.front().samples.size();
  return table.text() + "Test metrics over " + std::to_string(seeds) +
         " seeds: mean ± 95 % interval (Student's t). Same steps: both made all of the job's.\n"
         "Same time: the one-node run when the merged run had finished the job. better, worse: "
         "the\n"
         "interval of the paired differences excludes 0.\n";
}

std::string estimates_text(const std::vector<EstimateError>& seeds) {
  std::vector<double> medians;
  double worst = 1.0;
  std::size_t ordered_right = 0;
  std::size_t node_pairs = 0;
  for (const EstimateError& seed : seeds) {
    medians.push_back(seed.median_factor);
    worst = std::max(worst, seed.worst_factor);
    ordered_right += seed.ordered_right;
    node_pairs += seed.node_pairs;
  }
  return "Rates before they were measured, merged runs: wrong by a factor of " +
         interval_text(medians) + " (median of a run), " + significant(worst, 3) + " at worst; " +
         std::to_string(ordered_right) + " of " + std::to_string(node_pairs) +
         " pairs of nodes in the right order.\n";
}

std::string quality_json(const std::vector<QualityRow>& rows) {
  std::string text;
  for (const QualityRow& row : rows) {
    nlohmann::ordered_json json = {{"job", row.job},
                                   {"metric", row.metric},
                                   {"larger_is_better", row.larger_is_better},
                                   {"steps", row.steps}};
    for (const QualitySample& sample : row.samples) {
      json["seeds"].push_back({{"merged", sample.merged},
                               {"single", sample.single},
                               {"single_same_time", sample.single_when_merged_is_done},
                               {"merged_jct_seconds", sample.merged_seconds},
                               {"single_jct_seconds", sample.single_seconds}});
    }
    json["same_steps"] = verdict(row, &QualitySample::single);
    json["same_time"] = verdict(row, &QualitySample::single_when_merged_is_done);
    text += json.dump() + "\n";
  }
  return text;
}

}  // namespace berth::launcher
