// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "node_worker.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "berth/error.hpp"

#include "error_report.hpp"

namespace berth::launcher {
namespace {

using Clock = std::chrono::steady_clock;

// Between two looks at signals, and two pauses of a slower node.
constexpr std::uint64_t kStepsAtOnce = 16;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double worker_processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

bool all_finite(const std::vector<float>& values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace

Config model_config(PluginHost& host,
                    const MixJob& job,
                    std::uint32_t threads,
                    std::uint64_t steps) {
  Config config;
  try {
    config = host.options(TrainingJob::kInterface, job.model);
  } catch (const Error& error) {
    rethrow_with_context(error, job.place);
  }
  for (const ModelSetting& setting : job.settings) {
    try {
      config.set(setting.name, setting.text);
    } catch (const InputError& error) {
      rethrow_with_context(error, setting.place);
    }
  }
  if (config.has("threads")) {
    config.set("threads", std::to_string(threads));
  }
  if (config.has("schedule_steps") && config.text("schedule_steps") == "0" && steps > 0) {
    config.set("schedule_steps", std::to_string(steps));
  }
  return config;
}

std::unique_ptr<TrainingJob> make_job(PluginHost& host,
                                      const MixJob& job,
                                      std::uint64_t run_seed,
                                      std::uint32_t threads) {
  const std::uint64_t seed = run_seed + job.seed;
  try {
    std::unique_ptr<TrainingJob> made =
        host.training_job(job.model, model_config(host, job, threads, job.steps), seed);
    // Epochs become steps when the model has told its samples; a schedule needs to know them.
    return job.steps > 0
               ? std::move(made)
               : host.training_job(job.model,
                                   model_config(host, job, threads, job_steps(job, made->size())),
                                   seed);
  } catch (const Error& error) {
    rethrow_with_context(error, "job '" + job.name + "'");
  }
}

std::uint64_t job_steps(const MixJob& job, const TrainingSize& size) {
  if (job.steps > 0) {
    return job.steps;
  }
  const double steps =
      job.epochs * static_cast<double>(size.train_samples) / static_cast<double>(size.batch);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(steps)));
}

NodeWorker::NodeWorker(const Mix& mix,
                       std::uint32_t node,
                       std::uint64_t run_seed,
                       PluginHost& host,
                       Watchdog& watchdog,
                       const StopSignal& stop)
    : mix_(mix),
      node_(node),
      run_seed_(run_seed),
      host_(host),
      watchdog_(watchdog),
      stop_(stop),
      jobs_(mix.jobs.size()),
      is_warm_(mix.jobs.size(), false) {}

TrainingJob& NodeWorker::job(std::size_t id) {
  if (jobs_[id] == nullptr) {
    watchdog_.alive("making job", id);
    jobs_[id] = make_job(host_, mix_.jobs[id], run_seed_, mix_.nodes[node_].threads);
  }
  return *jobs_[id];
}

CopyReport NodeWorker::run(const CopyOrder& order, std::vector<float>& state, std::uint64_t round) {
  CopyReport report;
  const Clock::time_point begin = Clock::now();
  try {
    const auto id = static_cast<std::size_t>(order.job);
    TrainingJob& copy = job(id);
    if (!is_warm_[id]) {
      // The first step of a process pays for what all others find done; no rate should hold it.
      static_cast<void>(copy.train({order.first_step, 1, 0.0}));
      is_warm_[id] = true;
    }
    copy.set_state(state);
    copy.set_counters({order.schedule_steps, order.optimizer_steps});
    report.prepare_seconds = seconds_since(begin);
    train(order, copy, report, round);
    copy.get_state(state);
    if (!std::isfinite(report.mean_loss) || !all_finite(state)) {
      report.failure =
          "training diverged: its loss or weights are not finite; expected a lower "
          "learning rate";
    }
    if (order.validates && report.failure.empty() && report.steps > 0) {
      report.validation_loss = copy.evaluate(HeldOut::kValidation).loss;
    }
    const TrainingCounters counters = copy.counters();
    report.schedule_steps = counters.schedule_steps;
    report.optimizer_steps = counters.optimizer_steps;
  } catch (const std::exception& error) {
    report.failure = report_of(error).text;
  }
  report.stop_signal = stop_.raised();
  return report;
}

void NodeWorker::train(const CopyOrder& order,
                       TrainingJob& job,
                       CopyReport& report,
                       std::uint64_t round) {
  const MixNode& node = mix_.nodes[node_];
  const double patience =
      order.seconds > 0.0 ? std::max(1e-3, order.seconds - report.prepare_seconds) : 0.0;
  const Clock::time_point begin = Clock::now();
  const double processor_begin = worker_processor_seconds();
  double loss = 0.0;
  while (report.steps < order.steps && stop_.raised() == 0) {
    const double left = patience - seconds_since(begin);
    if (patience > 0.0 && left <= 0.0) {
      break;
    }
    watchdog_.alive("training of round", round);
    const TrainingOutcome outcome = job.train({order.first_step + report.steps,
                                               std::min(kStepsAtOnce, order.steps - report.steps),
                                               patience > 0.0 ? left : 0.0});
    report.steps += outcome.steps;
    loss += outcome.mean_loss * static_cast<double>(outcome.steps);
    const double computed = (worker_processor_seconds() - processor_begin) / node.threads;
    const double pause = node.duty < 1.0 ? computed / node.duty - seconds_since(begin) : 0.0;
    if (pause > 0.0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(pause));
    }
  }
  report.mean_loss = report.steps > 0 ? loss / static_cast<double>(report.steps) : 0.0;
  report.seconds = seconds_since(begin);
}

}  // namespace berth::launcher
