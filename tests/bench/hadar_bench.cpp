// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// One round of Hadar with many active jobs, and the 480-job trace as a whole where it is there.

#include <benchmark/benchmark.h>

#include "berth/cluster_simulator.hpp"
#include "berth/rng.hpp"

#include "cluster_file.hpp"
#include "hadar_presets.hpp"

namespace berth {
namespace {

/// Jobs of gangs 1, 2, 4, 8 for 70, 10, 15, 5 %, log-uniform sizes, random speeds per type.
std::vector<JobSpec> many_jobs(std::size_t count, std::size_t types) {
  Rng rng(1);
  std::vector<JobSpec> jobs(count);
  for (JobSpec& job : jobs) {
    const double u = rng.uniform();
    job.gang = u < 0.7 ? 1 : u < 0.8 ? 2 : u < 0.95 ? 4 : 8;
    job.total_steps = 1e4 * (1.0 + 99.0 * rng.uniform());
    for (std::size_t t = 0; t < types; ++t) {
      job.rates.push_back(1.0 + 9.0 * rng.uniform());
      job.spread_rates.push_back(job.rates.back() * (0.3 + 0.7 * rng.uniform()));
    }
  }
  return jobs;
}

void one_round(benchmark::State& state, const char* preset, const char* line) {
  const Cluster cluster = datasets::make_cluster(line);
  const std::vector<JobSpec> jobs =
      many_jobs(static_cast<std::size_t>(state.range(0)), cluster.num_types());
  std::vector<JobState> states(jobs.size());
  for (std::size_t id = 0; id < jobs.size(); ++id) {
    states[id].id = to_id<JobId>(id);
    states[id].spec = &jobs[id];
    states[id].remaining_steps = jobs[id].total_steps;
  }
  const RoundContext context{cluster, states, {}, {}, 0, 0, 0.0, 360.0, {}};
  for (auto _ : state) {
    hadar::HadarScheduler scheduler(hadar::preset(preset));
    benchmark::DoNotOptimize(scheduler.schedule(context));
  }
}

constexpr const char* kSixty = "v100:20/4,p100:20/4,k80:20/4";
constexpr const char* kThousand = "a:200/4,b:200/4,c:200/4,d:200/8,e:100/4,f:100/2";

BENCHMARK_CAPTURE(one_round, jct_60_gpus, "jct", kSixty)->Arg(2000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_round, ttd_60_gpus, "ttd", kSixty)->Arg(2000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_round, paper_jct_60_gpus, "paper_jct", kSixty)
    ->Arg(2000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_round, jct_1000_gpus, "jct", kThousand)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_round, paper_jct_1000_gpus, "paper_jct", kThousand)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth

BENCHMARK_MAIN();
