// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include <gtest/gtest.h>

#include "datasets/models/partition_file.hpp"
#include "plugins/planners/contiguous_partitioner.hpp"
#include "plugins/planners/partition_annealing.hpp"
#include "tests/reference/nest/csv_rows.hpp"
#include "tests/reference_data.hpp"

namespace berth {
namespace {

constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;

// The published values were found with 25 GiB/s in place of the file's 25 GB/s.
TEST(PiperReference, EveryRowIsReachedAndTheInfeasibleOneExplained) {
  BERTH_NEEDS_REFERENCE_DATA("piper");
  const auto folder = reference_data() / "piper";
  int compared = 0;
  for (const CsvRow& row : read_csv_rows(folder / "best_known.csv")) {
    if (row.at("model") != "bert") {
      continue;  // the other graph is not published
    }
    SCOPED_TRACE(row.at("max_devices") + " devices of " + row.at("mem_GiB") + " GiB");
    const datasets::PartitionSetup setup{
        static_cast<std::uint32_t>(std::stoul(row.at("max_devices"))),
        std::stod(row.at("mem_GiB")) * kGibibyte,
        static_cast<std::uint32_t>(std::stoul(row.at("microbatches"))),
        25.0 * kGibibyte};
    const PartitionProblem problem =
        datasets::read_partition_file(folder / "bert32a100.json", setup);

    const PartitionAnswer answer = planners::partition_contiguous(problem);

    ++compared;
    const double published = std::stod(row.at("time_per_sample"));
    if (published < 0.0) {
      EXPECT_TRUE(answer.plans.empty());
      ASSERT_EQ(answer.infeasible.size(), 2U);
      EXPECT_NE(answer.infeasible[0].find("needs at least 15.26 GiB"), std::string::npos);
      EXPECT_NE(answer.infeasible[1].find("takes 5 accelerators"), std::string::npos);
      continue;
    }
    ASSERT_EQ(answer.plans.size(), 1U);
    EXPECT_TRUE(answer.optimal);
    const PartitionScore score = score_partition(problem, answer.plans[0]);
    EXPECT_TRUE(score.fits);
    EXPECT_TRUE(score.contiguous);
    EXPECT_LE(score.slowest_seconds, published * (1.0 + 1e-8));  // printed with nine digits
    EXPECT_GE(score.slowest_seconds, published * 0.99);
  }
  EXPECT_EQ(compared, 7);
}

std::vector<CsvRow> max_load_rows() {
  std::vector<CsvRow> rows;
  for (CsvRow& row : read_csv_rows(reference_data() / "dnn_partitioning" / "best_known.csv")) {
    if (row.at("optimal_contiguous_max_load").find_first_not_of("0123456789.") ==
        std::string::npos) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

PartitionProblem max_load_problem(const CsvRow& row) {
  return datasets::read_partition_file(
      reference_data() / "dnn_partitioning" / "throughput" / (row.at("instance") + ".json"), {});
}

TEST(MaxLoadReference, ContiguousOptimaAreThePublishedOnes) {
  BERTH_NEEDS_REFERENCE_DATA("dnn_partitioning");
  int compared = 0;
  for (const CsvRow& row : max_load_rows()) {
    SCOPED_TRACE(row.at("instance"));
    const PartitionProblem problem = max_load_problem(row);

    const PartitionAnswer answer = planners::partition_contiguous(problem);

    ASSERT_EQ(answer.plans.size(), 1U);
    EXPECT_TRUE(answer.optimal);
    const PartitionScore score = score_partition(problem, answer.plans[0]);
    EXPECT_TRUE(score.fits);
    EXPECT_TRUE(score.contiguous);
    // Six significant digits are published.
    EXPECT_NEAR(
        score.slowest_seconds / std::stod(row.at("optimal_contiguous_max_load")), 1.0, 1e-5);
    ++compared;
  }
  EXPECT_EQ(compared, 6);
}

TEST(MaxLoadReference, StagesThatNeedNotBeContiguousBeatThePublishedOptimumAndLocalSearch) {
  BERTH_NEEDS_REFERENCE_DATA("dnn_partitioning");
  int better = 0;
  for (const CsvRow& row : max_load_rows()) {
    SCOPED_TRACE(row.at("instance"));
    const PartitionProblem problem = max_load_problem(row);

    const PartitionAnswer answer = planners::anneal_partition(problem, {100'000, 4, 1});

    ASSERT_EQ(answer.plans.size(), 1U);
    const PartitionScore score = score_partition(problem, answer.plans[0]);
    EXPECT_TRUE(score.fits);
    const double optimum = std::stod(row.at("optimal_contiguous_max_load"));
    EXPECT_LE(score.slowest_seconds, optimum * (1.0 + 1e-5));
    EXPECT_LT(score.slowest_seconds, std::stod(row.at("local_search_3_restarts_noncontiguous")));
    better += score.slowest_seconds < optimum * (1.0 - 1e-3) ? 1 : 0;
  }
  EXPECT_EQ(better, 5);  // ResNet-50 inference takes more moves
}

}  // namespace
}  // namespace berth
