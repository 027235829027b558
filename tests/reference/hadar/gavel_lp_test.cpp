// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Optimal values of Gavel's programs, unique even where the allocation is not,
// and runs whose allocations depend on the solver.

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "berth/cluster_metrics.hpp"

#include "gavel_data.hpp"
#include "gavel_lp_policies.hpp"
#include "gavel_scheduler.hpp"
#include "share_program.hpp"

namespace berth {
namespace {

using schedulers::Awareness;
using schedulers::FinishTimeFairnessPolicy;
using schedulers::GavelOptions;
using schedulers::GavelPolicy;
using schedulers::GavelScheduler;
using schedulers::MaxMinFairnessPolicy;
using schedulers::MaxSumThroughputPolicy;
using schedulers::MinTotalDurationPolicy;
using schedulers::total_duration_bound;

struct GoldenOptimum {
  const char* trace;
  const char* cluster;
  double max_min, duration_seconds, rho, sum;
  double duration_tolerance;
};

class GavelOptima : public testing::TestWithParam<GoldenOptimum> {
 protected:
  void SetUp() override { BERTH_NEEDS_REFERENCE_DATA("hadar"); }
};

// From golden_lp.jsonl, to 1e-7. The file's duration of the 480 jobs is 1.84e-6 above the optimum,
// as CertifiedDuration shows: z is near 1e-6 there, of the size of the tolerance of the solver that
// made the file.
TEST_P(GavelOptima, EqualTheGoldenValues) {
  const GoldenOptimum& golden = GetParam();
  const GavelProblem problem(golden.trace, golden.cluster);
  std::vector<JobState> states(problem.jobs.size());
  for (std::size_t id = 0; id < states.size(); ++id) {
    states[id].id = to_id<JobId>(id);
    states[id].spec = &problem.jobs[id];
    states[id].remaining_steps = problem.jobs[id].total_steps;
  }
  const RoundContext context{problem.cluster, states, {}, {}, 0, 0, 0.0, 360.0, {}};
  MaxMinFairnessPolicy max_min(Awareness::kTypes);
  MinTotalDurationPolicy duration(Awareness::kTypes);
  FinishTimeFairnessPolicy fairness(Awareness::kTypes);
  MaxSumThroughputPolicy sum;

  (void)max_min.solve(context);
  (void)duration.solve(context);
  (void)fairness.solve(context);
  (void)sum.solve(context);

  EXPECT_NEAR(max_min.objective() / golden.max_min, 1.0, 1e-7);
  EXPECT_NEAR(
      duration.duration_seconds() / golden.duration_seconds, 1.0, golden.duration_tolerance);
  EXPECT_NEAR(fairness.rho() / golden.rho, 1.0, 1e-7);
  EXPECT_NEAR(sum.objective() / golden.sum, 1.0, 1e-7);
  const GangModel whole_gangs_without_spread{MixRule::kOff, false, 0.0};
  EXPECT_NEAR(total_duration_bound(problem.cluster, problem.jobs, whole_gangs_without_spread) /
                  golden.duration_seconds,
              1.0,
              golden.duration_tolerance);
}

INSTANTIATE_TEST_SUITE_P(Traces,
                         GavelOptima,
                         testing::Values(GoldenOptimum{"gavel_artifact_evaluation.csv",
                                                       "v100:2/1,k80:4/1",
                                                       .492267224,
                                                       5281.677055,
                                                       .812566795,
                                                       161.896497,
                                                       1e-7},
                                         GoldenOptimum{"gavel_minimize_makespan.csv",
                                                       "v100:8/4,p100:16/4,k80:24/8",
                                                       .595100466,
                                                       63749.867958,
                                                       .806586496,
                                                       1783.038921,
                                                       1e-7},
                                         GoldenOptimum{"g480_static_multi_s0.csv",
                                                       "v100:20/4,p100:20/4,k80:20/4",
                                                       .157094825,
                                                       924399.722279,
                                                       .795697759,
                                                       4053.43922,
                                                       2e-6}));

class CertifiedDuration : public testing::TestWithParam<GoldenOptimum> {
 protected:
  void SetUp() override { BERTH_NEEDS_REFERENCE_DATA("hadar"); }
};

// The shares, made feasible beyond doubt, prove a duration from above; dual prices one from below.
// Where both meet the optimum is known, whatever the solver's tolerances.
TEST_P(CertifiedDuration, IsProvenFromBothSides) {
  const GoldenOptimum& golden = GetParam();
  const GavelProblem problem(golden.trace, golden.cluster);
  const std::size_t types = problem.cluster.num_types();
  std::vector<schedulers::ShareRow> rows;
  std::vector<double> demand;
  for (const JobSpec& job : problem.jobs) {
    rows.push_back({job.rates, static_cast<double>(job.gang), 1.0, 1.0});
    demand.push_back(job.total_steps);
  }
  schedulers::BalancedShares shares(problem.cluster, rows);
  const double z = shares.solve(demand);

  double overload = 1.0;
  std::vector<double> load(types, 0.0);
  for (std::size_t m = 0; m < rows.size(); ++m) {
    double time = 0.0;
    for (std::size_t t = 0; t < types; ++t) {
      time += std::max(0.0, shares.share(m, t));
      load[t] += rows[m].gang * std::max(0.0, shares.share(m, t));
    }
    overload = std::max(overload, time);
  }
  for (std::size_t t = 0; t < types; ++t) {
    overload = std::max(overload, load[t] / problem.cluster.capacity(to_id<GpuTypeId>(t)));
  }
  double reached = std::numeric_limits<double>::infinity();
  for (std::size_t m = 0; m < rows.size(); ++m) {
    double throughput = 0.0;
    for (std::size_t t = 0; t < types; ++t) {
      throughput += rows[m].rates[t] * std::max(0.0, shares.share(m, t)) / overload;
    }
    reached = std::min(reached, throughput / demand[m]);
  }
  const double shortest = 1.0 / shares.dual_bound();
  const double possible = 1.0 / reached;

  EXPECT_LE(shortest, possible);
  EXPECT_NEAR(possible / shortest, 1.0, 1e-9);
  EXPECT_NEAR(1.0 / z / shortest, 1.0, 1e-9);
  EXPECT_GE(golden.duration_seconds, shortest * (1 - 1e-9));
}

INSTANTIATE_TEST_SUITE_P(
    Traces,
    CertifiedDuration,
    testing::Values(
        GoldenOptimum{
            "gavel_minimize_makespan.csv", "v100:8/4,p100:16/4,k80:24/8", 0, 63749.867958, 0, 0, 0},
        GoldenOptimum{"g480_static_multi_s0.csv",
                      "v100:20/4,p100:20/4,k80:20/4",
                      0,
                      924399.722279,
                      0,
                      0,
                      0}));

struct SolverDependentRow {
  const char* trace;
  const char* policy;
  double mean_jct, end;
};

class GavelRuns : public testing::TestWithParam<SolverDependentRow> {};

// The simplex rows of ref_results.csv; allocations are not unique, so within 10
// %.
TEST_P(GavelRuns, AreWithinTenPercentOfTheOriginal) {
  BERTH_NEEDS_REFERENCE_DATA("hadar");
  const SolverDependentRow& row = GetParam();
  const GavelProblem problem(row.trace, "v100:8/4,p100:16/4,k80:24/8");
  std::unique_ptr<GavelPolicy> policy;
  if (std::string(row.policy) == "max_min_fairness_perf") {
    policy = std::make_unique<MaxMinFairnessPolicy>(Awareness::kTypes);
  } else if (std::string(row.policy) == "min_total_duration_perf") {
    policy = std::make_unique<MinTotalDurationPolicy>(Awareness::kTypes);
  } else {
    policy = std::make_unique<FinishTimeFairnessPolicy>(Awareness::kTypes);
  }
  GavelScheduler scheduler(std::move(policy), GavelOptions::gavel(), 0);

  const ClusterRun run =
      simulate_cluster(problem.cluster, problem.jobs, scheduler, ClusterSimulationOptions::gavel());

  EXPECT_NEAR(measure(problem.cluster, problem.jobs, run).mean_jct / row.mean_jct, 1.0, 0.1);
  EXPECT_NEAR(run.end_seconds / row.end, 1.0, 0.1);
  EXPECT_GE(
      run.end_seconds - run.first_arrival_seconds,
      total_duration_bound(problem.cluster, problem.jobs, ClusterSimulationOptions::gavel().gangs));
}

INSTANTIATE_TEST_SUITE_P(
    ReferenceResults,
    GavelRuns,
    testing::Values(
        SolverDependentRow{"gavel_minimize_makespan.csv", "max_min_fairness_perf", 36018, 69373},
        SolverDependentRow{"gavel_minimize_makespan.csv", "min_total_duration_perf", 64493, 65198},
        SolverDependentRow{
            "gavel_minimize_makespan.csv", "finish_time_fairness_perf", 37808, 72011},
        SolverDependentRow{"gavel_max_min_fairness.csv", "max_min_fairness_perf", 14995, 63156},
        SolverDependentRow{"gavel_max_min_fairness.csv", "min_total_duration_perf", 25212, 61765},
        SolverDependentRow{
            "gavel_max_min_fairness.csv", "finish_time_fairness_perf", 15296, 64916}));

}  // namespace
}  // namespace berth
