// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// The cpu executor beside StarPU on the same graphs of empty ops with the same placements, in turn
// within one program. Both have their graph in place before the clock starts: StarPU's tasks are
// submitted behind one that is held back. Berth copies tokens between arenas besides; StarPU's
// workers share memory and copy nothing.

#include <starpu.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "berth/problem.hpp"

#include "cpu_executor.hpp"
#include "empty_graphs.hpp"

namespace berth {
namespace {

using Clock = std::chrono::steady_clock;

void nothing(void* /*buffers*/[], void* /*argument*/) {}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct StarpuTimes {
  double submitting = 0.0;  ///< Seconds to make and submit all tasks.
  double running = 0.0;     ///< Seconds from the release of the first to the end of the last.
};

void submit(starpu_task* task) {
  if (starpu_task_submit(task) != 0) {
    std::fprintf(stderr, "StarPU: refused a task\n");
    std::exit(1);
  }
}

StarpuTimes run_starpu(const Graph& graph, const Placement& placement, starpu_codelet& codelet) {
  const auto begin = Clock::now();
  const auto make = [&codelet](int worker) {
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    task->execute_on_a_specific_worker = 1;
    task->workerid = static_cast<unsigned>(worker);
    return task;
  };
  starpu_task* gate = make(0);
  std::vector<starpu_task*> tasks;
  std::vector<starpu_task*> before;
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    tasks.push_back(make(static_cast<int>(index(placement.device[v]))));
    before.clear();
    for (const OpId op : graph.predecessors(to_id<OpId>(v))) {
      before.push_back(tasks[index(op)]);
    }
    if (before.empty()) {
      before.push_back(gate);
    }
    starpu_task_declare_deps_array(tasks[v], static_cast<unsigned>(before.size()), before.data());
  }
  for (starpu_task* const task : tasks) {
    submit(task);
  }
  StarpuTimes times;
  times.submitting = seconds_since(begin);
  const auto release = Clock::now();
  submit(gate);
  starpu_task_wait_for_all();
  times.running = seconds_since(release);
  return times;
}

void compare(const char* name,
             const Graph& graph,
             std::size_t devices,
             bool random,
             int rounds,
             starpu_codelet& codelet) {
  const auto problem = make_problem(name, graph, Topology::uniform(devices), {});
  const Placement placement = place_empty_ops(graph, devices, random);
  executors::CpuExecutor executor(*problem, {});
  std::vector<double> berth;
  std::vector<double> starpu;
  std::vector<double> submitted;
  for (int round = 0; round < rounds; ++round) {
    starpu_pause();
    berth.push_back(executor.measure(placement, {1, 1, 60.0}).median_seconds);
    starpu_resume();
    if (round == 0) {
      run_starpu(graph, placement, codelet);  // warm-up
    }
    const StarpuTimes times = run_starpu(graph, placement, codelet);
    starpu.push_back(times.running);
    submitted.push_back(times.running + times.submitting);
  }
  const double scale = 1e6 / static_cast<double>(graph.num_ops());
  std::printf("%-44s %7zu %8.3f %8.3f %7.1f %10.3f\n",
              name,
              devices,
              median_of(berth) * scale,
              median_of(starpu) * scale,
              median_of(starpu) / median_of(berth),
              median_of(submitted) * scale);
}

int run(int rounds) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = 2;
  conf.ncuda = 0;
  conf.nopencl = 0;
  if (starpu_init(&conf) != 0 || starpu_cpu_worker_get_count() < 2) {
    std::fprintf(stderr, "StarPU: no two CPU workers on this host\n");
    return 1;
  }
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = nothing;
  codelet.cpu_funcs_name[0] = "nothing";
  std::printf("us/op, median of %d runs in turn; StarPU %d.%d\n\n%-44s %7s %8s %8s %7s %10s\n",
              rounds,
              STARPU_MAJOR_VERSION,
              STARPU_MINOR_VERSION,
              "graph of 10,000 empty ops",
              "devices",
              "berth",
              "StarPU",
              "ratio",
              "+ submit");
  for (const std::size_t devices : {1U, 2U}) {
    compare("independent", independent_empty_ops(), devices, false, rounds, codelet);
    compare("layers of 100, two inputs, random placement",
            layers_of_empty_ops(),
            devices,
            true,
            rounds,
            codelet);
  }
  starpu_shutdown();
  return 0;
}

}  // namespace
}  // namespace berth

int main(int argc, char**) {
  return berth::run(argc > 1 ? 3 : 15);  // with any argument: a moment, as a test
}
