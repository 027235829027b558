// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "gavel_data.hpp"
#include "trace_generator.hpp"

namespace berth {
namespace {

std::string content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void expect_equal_bytes(double mean_gap_seconds, const std::string& file) {
  const datasets::ThroughputTable table(hadar_data("throughputs.csv"), "simulation");
  datasets::TraceGeneratorOptions options;
  options.mean_gap_seconds = mean_gap_seconds;
  std::ostringstream out;

  datasets::write_trace_csv(datasets::generate_trace(options, table), out);

  EXPECT_TRUE(out.str() == content(hadar_data(file))) << out.str().substr(0, 400);
}

TEST(TraceGenerator, SeedZeroGivesTheStaticReferenceTraceByteForByte) {
  BERTH_NEEDS_REFERENCE_DATA("hadar");
  expect_equal_bytes(0.0, "g480_static_multi_s0.csv");
}

TEST(TraceGenerator, SeedZeroGivesThePoissonReferenceTraceByteForByte) {
  BERTH_NEEDS_REFERENCE_DATA("hadar");
  expect_equal_bytes(3000.0, "g480_lam3000_multi_s0.csv");
}

TEST(PhillyTrace, BecomesJobsOfFourModels) {
  BERTH_NEEDS_REFERENCE_DATA("hadar");

  const GavelProblem problem("philly_heavy480.csv", "v100:20/4,p100:20/4,k80:20/4");

  ASSERT_EQ(problem.jobs.size(), 480U);
  EXPECT_EQ(problem.jobs[0].name, "CycleGAN");  // category M, one GPU
  // floor(13062 s * 4.426088263367452 steps/s on a V100)
  EXPECT_EQ(problem.jobs[0].total_steps, 57813.0);
}

}  // namespace
}  // namespace berth
