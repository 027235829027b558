// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// The oddities of the measured tables, so that nobody "repairs" them.

#include "throughput_table.hpp"

#include <algorithm>
#include <span>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "csv_file.hpp"
#include "gavel_data.hpp"
#include "throughput_estimate.hpp"

namespace berth {
namespace {

using datasets::JobType;
using datasets::ThroughputTable;

const std::vector<std::string> kTypes = {"v100", "p100", "k80"};

class MeasuredTable : public testing::Test {
 protected:
  void SetUp() override { BERTH_NEEDS_REFERENCE_DATA("hadar"); }

  static std::vector<double> rates(const char* table,
                                   const JobType& type,
                                   std::uint32_t gang,
                                   bool consolidated = true) {
    return ThroughputTable(hadar_data("throughputs.csv"), table)
        .rates("test", type, gang, kTypes, consolidated);
  }
};

TEST_F(MeasuredTable, HasZerosWhereAModelDoesNotFitInMemory) {
  for (const std::uint32_t gang : {2U, 4U, 8U}) {
    EXPECT_EQ(rates("simulation", {"ResNet-50", 128}, gang)[2], 0.0);
  }
  EXPECT_GT(rates("simulation", {"ResNet-50", 128}, 1)[2], 0.0);
  EXPECT_EQ(rates("physical", {"ResNet-50", 128}, 1)[2], 0.0);
}

TEST_F(MeasuredTable, SaysRecommendationIsSlowestOnV100InTheSimulationTableOnly) {
  const std::vector<double> simulated = rates("simulation", {"Recommendation", 512}, 1);
  EXPECT_NEAR(simulated[0], 23.3, 0.05);
  EXPECT_NEAR(simulated[1], 48.9, 0.05);
  EXPECT_NEAR(simulated[2], 32.9, 0.05);

  const std::vector<double> physical = rates("physical", {"Recommendation", 512}, 1);
  EXPECT_GT(physical[0] / simulated[0], 7.7);
  EXPECT_LT(physical[0] / simulated[0], 11.9);
}

TEST_F(MeasuredTable, ScalesNeitherMonotonicallyNorSublinearly) {
  EXPECT_LT(rates("simulation", {"LM", 5}, 4)[0], rates("simulation", {"LM", 5}, 2)[0]);
  EXPECT_NEAR(
      rates("simulation", {"ResNet-18", 16}, 8)[0] / rates("simulation", {"ResNet-18", 16}, 1)[0],
      11.8,
      0.05);
}

TEST_F(MeasuredTable, ChargesSpreadGangsByModel) {
  const auto ratio = [](const JobType& type) {
    return rates("simulation", type, 8, false)[0] / rates("simulation", type, 8)[0];
  };
  EXPECT_LT(ratio({"LM", 80}), 0.22);
  EXPECT_GT(ratio({"ResNet-50", 64}), 0.9);
}

TEST_F(MeasuredTable, HoldsNoGuessWhereASpreadGangWasNotMeasured) {
  EXPECT_GT(rates("simulation", {"ResNet-50", 64}, 2)[2], 0.0);
  EXPECT_EQ(rates("simulation", {"ResNet-50", 64}, 2, false)[2], 0.0);
}

TEST_F(MeasuredTable, NamesWhatIsUnknown) {
  const auto message = [](const JobType& type, std::uint32_t gang, const std::string& gpu) {
    try {
      const std::vector<std::string> gpus = {gpu};
      (void)ThroughputTable(hadar_data("throughputs.csv"), "simulation")
          .rates("trace.csv:3", type, gang, gpus, true);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };

  EXPECT_NE(message({"A3C", 0}, 1, "t4").find("has no accelerator 't4'; it has k80, p100, v100"),
            std::string::npos);
  EXPECT_NE(message({"GPT", 1}, 1, "k80").find("has no job type 'GPT (batch size 1)'; it has A3C"),
            std::string::npos);
  EXPECT_NE(message({"A3C", 0}, 2, "k80").find("no throughput of 'A3C' with a gang of 2 on k80"),
            std::string::npos);
  EXPECT_THROW(ThroughputTable(hadar_data("throughputs.csv"), "guessed"), InputError);
}

// What docs/scheduling.md says of estimates beside measurements.
TEST_F(MeasuredTable, IsMetByEstimatesWithinAFactor) {
  const ThroughputTable estimates = datasets::estimate_throughputs(kTypes);
  const datasets::CsvFile csv(hadar_data("throughputs.csv"));
  std::vector<double> factors;
  for (std::size_t row = 0; row < csv.num_rows(); ++row) {
    const std::uint32_t batch =
        csv.text(row, "batch_size").empty() ? 0 : csv.whole(row, "batch_size");
    const double measured = csv.number(row, "steps_per_s");
    const std::string gpu = csv.text(row, "gpu");
    const double estimated = estimates.rates(csv.place(row),
                                             {csv.text(row, "model"), batch},
                                             csv.whole(row, "scale_factor"),
                                             std::span(&gpu, 1),
                                             csv.text(row, "consolidated") == "1")[0];
    if (csv.text(row, "table") == "simulation" && measured > 0.0 && estimated > 0.0) {
      factors.push_back(std::max(estimated / measured, measured / estimated));
    }
  }
  std::sort(factors.begin(), factors.end());

  EXPECT_EQ(factors.size(), 487U);
  EXPECT_NEAR(factors[factors.size() / 2], 1.38, 0.005);
  EXPECT_NEAR(factors[factors.size() * 9 / 10], 2.19, 0.005);
}

}  // namespace
}  // namespace berth
