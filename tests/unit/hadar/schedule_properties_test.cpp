// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// What every scheduler owes: no accelerator twice, every step once, and times that do not depend on
// the order in which equal data came in.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

#include "berth/cluster_metrics.hpp"
#include "berth/cluster_simulator.hpp"
#include "berth/rng.hpp"

#include "cluster_file.hpp"
#include "gavel_lp_policies.hpp"
#include "gavel_queue_policies.hpp"
#include "gavel_scheduler.hpp"
#include "hadar_presets.hpp"
#include "list_scheduler.hpp"
#include "pollux_scheduler.hpp"
#include "sia_scheduler.hpp"

namespace berth {
namespace {

using namespace schedulers;  // NOLINT: names of schedulers only

using Make = std::unique_ptr<ClusterScheduler> (*)();

std::unique_ptr<ClusterScheduler> list(JobOrder order, TypeRule rule, bool preempts) {
  ListOptions options;
  options.order = order;
  options.type_rule = rule;
  options.preempts = preempts;
  options.blocks = !preempts;
  options.queue_limits_gpu_seconds = {1000.0};
  options.promote_knob = 2.0;
  return std::make_unique<ListScheduler>(options, 0);
}

template <class Policy, class... Arguments>
std::unique_ptr<ClusterScheduler> gavel(Arguments... arguments) {
  return std::make_unique<GavelScheduler>(
      std::make_unique<Policy>(arguments...), GavelOptions{}, 0);
}

struct Entry {
  const char* name;
  Make make;
  /// Whether ties fall by data alone. Where they fall by id or by chance, order is seen: of a
  /// slowdown, for one, all jobs have the same at their arrival.
  bool blind_to_order;
};

const Entry kEntries[] = {
    {"hadar_jct",
     [] {
       return std::unique_ptr<ClusterScheduler>(
           std::make_unique<hadar::HadarScheduler>(hadar::preset("jct")));
     },
     true},
    {"hadar_ttd",
     [] {
       return std::unique_ptr<ClusterScheduler>(
           std::make_unique<hadar::HadarScheduler>(hadar::preset("ttd")));
     },
     true},
    {"hadar_paper_jct",
     [] {
       return std::unique_ptr<ClusterScheduler>(
           std::make_unique<hadar::HadarScheduler>(hadar::preset("paper_jct")));
     },
     true},
    {"hadar_paper_ttd",
     [] {
       return std::unique_ptr<ClusterScheduler>(
           std::make_unique<hadar::HadarScheduler>(hadar::preset("paper_ttd")));
     },
     false},
    {"fifo", [] { return list(JobOrder::kArrival, TypeRule::kMostFree, false); }, false},
    {"srtf", [] { return list(JobOrder::kRemainingTime, TypeRule::kFastest, true); }, true},
    {"srsf", [] { return list(JobOrder::kRemainingService, TypeRule::kFastest, true); }, true},
    {"las", [] { return list(JobOrder::kAttainedService, TypeRule::kFastest, true); }, false},
    {"tiresias", [] { return list(JobOrder::kTiresias, TypeRule::kMostFree, true); }, false},
    {"random", [] { return list(JobOrder::kRandom, TypeRule::kRandom, true); }, false},
    {"gavel_isolated", [] { return gavel<IsolatedPolicy>(); }, false},
    {"gavel_fifo_perf", [] { return gavel<FastestFifoPolicy>(); }, false},
    {"gavel_max_min", [] { return gavel<MaxMinFairnessPolicy>(Awareness::kTypes); }, false},
    {"gavel_makespan", [] { return gavel<MinTotalDurationPolicy>(Awareness::kTypes); }, false},
    {"gavel_ftf", [] { return gavel<FinishTimeFairnessPolicy>(Awareness::kAgnostic); }, false},
    {"gavel_max_sum", [] { return gavel<MaxSumThroughputPolicy>(); }, false},
    {"sia",
     [] { return std::unique_ptr<ClusterScheduler>(std::make_unique<SiaScheduler>(SiaOptions{})); },
     false},
    {"pollux",
     [] {
       return std::unique_ptr<ClusterScheduler>(
           std::make_unique<PolluxScheduler>(PolluxOptions{6, 4, 0.9}, 0));
     },
     false},
};

/// Jobs whose gangs fit a machine and whose data differ.
std::vector<JobSpec> random_jobs(std::uint64_t seed) {
  Rng rng(seed);
  std::vector<JobSpec> jobs(14);
  for (JobSpec& job : jobs) {
    job.name = "toy";
    job.gang = 1U << rng.below(3);
    job.total_steps = std::floor(200.0 + 3000.0 * rng.uniform());
    job.arrival_seconds = rng.uniform() < 0.5 ? 0.0 : std::floor(2000.0 * rng.uniform());
    for (int t = 0; t < 2; ++t) {
      job.rates.push_back(t > 0 && rng.uniform() < 0.2 ? 0.0 : 0.5 + rng.uniform());
    }
    job.spread_rates = job.rates;
  }
  return jobs;
}

class EveryScheduler : public testing::TestWithParam<Entry> {
 protected:
  const Cluster cluster_ = datasets::make_cluster("a:4/4,b:8/4");
};

TEST_P(EveryScheduler, GivesNoAcceleratorTwiceAndMakesEveryStepOnce) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::vector<JobSpec> jobs = random_jobs(seed);
    ClusterSimulationOptions options;
    options.record_timeline = true;
    options.truncate_steps = false;
    options.gangs.restart_seconds = 0.0;
    const std::unique_ptr<ClusterScheduler> scheduler = GetParam().make();
    std::vector<double> left(jobs.size());
    const RoundObserver watch = [&](const RoundContext& context, const RoundSchedule& round) {
      std::vector<int> holders(cluster_.num_gpus(), 0);
      for (const Assignment& assignment : round.assignments) {
        for (const GpuId gpu : assignment.gpus) {
          EXPECT_EQ(++holders[index(gpu)], 1) << GetParam().name << " round " << context.round;
        }
      }
    };

    const ClusterRun run = simulate_cluster(cluster_, jobs, *scheduler, options, watch);

    // Rates are per gang and type: what a timeline of pure gangs makes is what the job asks for.
    std::fill(left.begin(), left.end(), 0.0);
    std::vector<std::uint32_t> counts(cluster_.num_types());
    for (const JobInterval& stretch : run.timeline) {
      const JobSpec& job = jobs[index(stretch.job)];
      std::fill(counts.begin(), counts.end(), 0U);
      for (const GpuId gpu : stretch.gpus) {
        ++counts[index(cluster_.type_of(gpu))];
      }
      left[index(stretch.job)] += (stretch.finish_seconds - stretch.start_seconds) *
                                  gang_rate(job, counts, false, options.gangs);
    }
    for (std::size_t id = 0; id < jobs.size(); ++id) {
      ASSERT_TRUE(run.jobs[id].finished());
      EXPECT_NEAR(left[id], jobs[id].total_steps, 1e-6 * jobs[id].total_steps)
          << GetParam().name << " seed " << seed << " job " << id;
    }
    const double bound = total_duration_bound(cluster_, jobs, options.gangs);
    EXPECT_GE(run.end_seconds - run.first_arrival_seconds, bound * (1 - 1e-9));
  }
}

TEST_P(EveryScheduler, SeesNoOrderInJobsWhoseDataDiffer) {
  if (!GetParam().blind_to_order) {
    GTEST_SKIP() << "ties fall by id or by chance";
  }
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const std::vector<JobSpec> jobs = random_jobs(seed);
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Rng rng(seed, {1});
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[rng.below(i)]);
    }
    std::vector<JobSpec> permuted;
    for (const std::size_t id : order) {
      permuted.push_back(jobs[id]);
    }
    const ClusterSimulationOptions options;

    const ClusterRun run = simulate_cluster(cluster_, jobs, *GetParam().make(), options);
    const ClusterRun other = simulate_cluster(cluster_, permuted, *GetParam().make(), options);

    for (std::size_t i = 0; i < order.size(); ++i) {
      EXPECT_DOUBLE_EQ(other.jobs[i].finish_seconds, run.jobs[order[i]].finish_seconds)
          << GetParam().name << " seed " << seed;
    }
  }
}

std::string name_of(const testing::TestParamInfo<Entry>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryScheduler, testing::ValuesIn(kEntries), name_of);

}  // namespace
}  // namespace berth
