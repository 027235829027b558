// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Runs of the original Gavel simulator, job by job.

#include <gtest/gtest.h>

#include "berth/cluster_metrics.hpp"

#include "csv_file.hpp"
#include "gavel_data.hpp"
#include "gavel_queue_policies.hpp"
#include "gavel_scheduler.hpp"

namespace berth {
namespace {

using schedulers::GavelOptions;
using schedulers::GavelPolicy;
using schedulers::GavelScheduler;

constexpr const char* kSmallCluster = "v100:2/1,k80:4/1";
constexpr const char* kPaperCluster = "v100:8/4,p100:16/4,k80:24/8";

ClusterRun play(const GavelProblem& problem,
                std::unique_ptr<GavelPolicy> policy,
                bool shuffle_types) {
  GavelOptions options = GavelOptions::gavel();
  options.shuffle_types = shuffle_types;
  GavelScheduler scheduler(std::move(policy), options, /*seed=*/0);
  return simulate_cluster(
      problem.cluster, problem.jobs, scheduler, ClusterSimulationOptions::gavel());
}

void expect_golden(const ClusterRun& run, const std::string& file) {
  const datasets::CsvFile golden(hadar_data(file));
  ASSERT_EQ(golden.num_rows(), run.jobs.size());
  for (std::size_t row = 0; row < golden.num_rows(); ++row) {
    EXPECT_NEAR(run.jobs[row].completion_seconds(), golden.number(row, "jct_s"), 1e-6)
        << file << " job " << row;
  }
}

TEST(GavelGolden, FifoPerfOnArtifactEvaluation) {
  BERTH_NEEDS_REFERENCE_DATA("hadar");
  const GavelProblem problem("gavel_artifact_evaluation.csv", kSmallCluster);

  const ClusterRun run = play(problem, std::make_unique<schedulers::FastestFifoPolicy>(), false);

  expect_golden(run, "golden_artifact_evaluation_fifo_perf.csv");
  EXPECT_NEAR(run.end_seconds, 12994.933, 5e-4);
  EXPECT_NEAR(run.utilisation, 0.6139, 5e-5);
  EXPECT_EQ(run.num_rounds + 1, 38U);  // Gavel counts the round in which it stops
}

TEST(GavelGolden, IsolatedOnArtifactEvaluation) {
  BERTH_NEEDS_REFERENCE_DATA("hadar");
  const GavelProblem problem("gavel_artifact_evaluation.csv", kSmallCluster);

  const ClusterRun run = play(problem, std::make_unique<schedulers::IsolatedPolicy>(), false);

  expect_golden(run, "golden_artifact_evaluation_isolated_noshuffle.csv");
  EXPECT_NEAR(run.end_seconds, 7750.528, 5e-4);
  EXPECT_NEAR(run.utilisation, 0.8476, 5e-5);
  EXPECT_EQ(run.num_rounds + 1, 23U);  // Gavel counts the round in which it stops
}

TEST(GavelGolden, FifoPerfOnMinimizeMakespan) {
  BERTH_NEEDS_REFERENCE_DATA("hadar");
  const GavelProblem problem("gavel_minimize_makespan.csv", kPaperCluster);

  const ClusterRun run = play(problem, std::make_unique<schedulers::FastestFifoPolicy>(), false);

  expect_golden(run, "golden_minimize_makespan_fifo_perf.csv");
  EXPECT_NEAR(run.end_seconds, 90701.292, 5e-4);
  EXPECT_NEAR(run.utilisation, 0.7698, 5e-5);
  EXPECT_EQ(run.num_rounds + 1, 253U);  // Gavel counts the round in which it stops
}

TEST(GavelGolden, IsolatedOnMaxMinFairness) {
  BERTH_NEEDS_REFERENCE_DATA("hadar");
  const GavelProblem problem("gavel_max_min_fairness.csv", kPaperCluster);

  const ClusterRun run = play(problem, std::make_unique<schedulers::IsolatedPolicy>(), false);

  expect_golden(run, "golden_max_min_fairness_isolated_noshuffle.csv");
  EXPECT_NEAR(run.end_seconds, 66632.105, 5e-4);
  EXPECT_NEAR(run.utilisation, 0.8023, 5e-5);
  EXPECT_EQ(run.num_rounds + 1, 187U);  // Gavel counts the round in which it stops
}

// Rows of ref_results.csv that need the random streams: to the printed digits.
struct ReferenceRow {
  const char* trace;
  const char* cluster;
  bool repaired;
  bool isolated;
  double mean, end, utilisation;
};

class GavelRandomRows : public testing::TestWithParam<ReferenceRow> {};

TEST_P(GavelRandomRows, MatchToThePrintedDigits) {
  BERTH_NEEDS_REFERENCE_DATA("hadar");
  const ReferenceRow& row = GetParam();
  const GavelProblem problem(row.trace, row.cluster);
  std::unique_ptr<GavelPolicy> policy;
  if (row.isolated) {
    policy = std::make_unique<schedulers::IsolatedPolicy>();
  } else {
    policy = std::make_unique<schedulers::RandomTypeFifoPolicy>(0, row.repaired);
  }

  const ClusterRun run = play(problem, std::move(policy), /*shuffle_types=*/true);

  EXPECT_NEAR(measure(problem.cluster, problem.jobs, run).mean_jct, row.mean, 5e-4);
  EXPECT_NEAR(run.end_seconds, row.end, 6e-4);
  EXPECT_NEAR(run.utilisation, row.utilisation, 5e-5);
}

INSTANTIATE_TEST_SUITE_P(
    ReferenceResults,
    GavelRandomRows,
    testing::Values(
        ReferenceRow{
            "gavel_artifact_evaluation.csv", kSmallCluster, false, true, 5924.5, 10640.976, 0.6658},
        ReferenceRow{"gavel_minimize_makespan.csv",
                     kPaperCluster,
                     false,
                     true,
                     37581.229,
                     82944.778,
                     0.9046},
        ReferenceRow{
            "gavel_max_min_fairness.csv", kPaperCluster, false, true, 19865.035, 78163.363, 0.7271},
        ReferenceRow{"gavel_artifact_evaluation.csv",
                     kSmallCluster,
                     false,
                     false,
                     7581.699,
                     11803.002,
                     0.3025},
        ReferenceRow{"gavel_minimize_makespan.csv",
                     kPaperCluster,
                     false,
                     false,
                     211550.984,
                     274227.734,
                     0.1644},
        ReferenceRow{"gavel_max_min_fairness.csv",
                     kPaperCluster,
                     false,
                     false,
                     35904.574,
                     196524.281,
                     0.3494},
        ReferenceRow{"gavel_small_test.csv", kPaperCluster, false, false, 165.21, 305.796, 0.0881},
        ReferenceRow{
            "gavel_medium_test.csv", kPaperCluster, false, false, 15866.931, 24202.662, 0.1501},
        ReferenceRow{"gavel_artifact_evaluation.csv",
                     kSmallCluster,
                     true,
                     false,
                     8368.839,
                     19947.757,
                     0.5891},
        ReferenceRow{"gavel_minimize_makespan.csv",
                     kPaperCluster,
                     true,
                     false,
                     53310.913,
                     201216.585,
                     0.4682},
        ReferenceRow{"gavel_max_min_fairness.csv",
                     kPaperCluster,
                     true,
                     false,
                     28632.423,
                     199827.735,
                     0.36}));

}  // namespace
}  // namespace berth
