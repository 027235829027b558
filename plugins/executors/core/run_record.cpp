// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "run_record.hpp"

#include <algorithm>

#include "berth/units.hpp"

namespace berth::executors {
namespace {

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace

void RunRecord::resize(std::size_t tasks) {
  ready.assign(tasks, 0.0);
  start.assign(tasks, 0.0);
  finish.assign(tasks, 0.0);
  stream.assign(tasks, 0);
}

void set_ready(const ExecutionPlan& plan, RunRecord& record) {
  std::ranges::fill(record.ready, 0.0);
  for (std::uint32_t task = 0; task < plan.num_tasks(); ++task) {
    for (const std::uint32_t next : plan.successors(task)) {
      record.ready[next] = std::max(record.ready[next], record.finish[task]);
    }
  }
}

Trace trace_of(const PlacementProblem& problem,
               const ExecutionPlan& plan,
               const RunRecord& record) {
  const auto ops = static_cast<std::ptrdiff_t>(plan.num_ops);
  const double base = *std::min_element(record.start.begin(), record.start.begin() + ops);
  const double scale = 1.0 / problem.costs.seconds_per_unit;
  const auto units = [&](double seconds) { return std::max(0.0, (seconds - base) * scale); };
  Trace trace;
  trace.seconds_per_unit = problem.costs.seconds_per_unit;
  for (std::uint32_t v = 0; v < plan.num_ops; ++v) {
    trace.ops.push_back({to_id<OpId>(v),
                         to_id<DeviceId>(plan.device[v]),
                         record.stream[v],
                         units(record.ready[v]),
                         units(record.start[v]),
                         units(record.finish[v])});
    trace.makespan = std::max(trace.makespan, trace.ops.back().finish);
  }
  for (std::size_t t = 0; t < plan.transfers.size(); ++t) {
    const ExecutionPlan::Transfer& transfer = plan.transfers[t];
    const auto task = static_cast<std::uint32_t>(plan.num_ops + t);
    trace.transfers.push_back({to_id<OpId>(transfer.producer),
                               to_id<OpId>(transfer.consumer),
                               to_id<DeviceId>(transfer.from),
                               to_id<DeviceId>(transfer.to),
                               units(record.finish[transfer.producer]),
                               units(record.start[task]),
                               units(record.finish[task])});
  }
  std::stable_sort(trace.transfers.begin(),
                   trace.transfers.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  return trace;
}

Measurement measure_runs(const MeasureSpec& spec,
                         const std::function<std::optional<double>(double)>& run_once) {
  Measurement found;
  for (std::uint32_t run = 0; run < spec.warm_up + spec.repeats; ++run) {
    const std::optional<double> seconds = run_once(spec.timeout_seconds);
    // A short run may be over before the clock that would have given it up was looked at.
    if (!seconds || (spec.timeout_seconds > 0.0 && *seconds > spec.timeout_seconds)) {
      found.status = RolloutStatus::kTimeout;
      found.reason = "run " + std::to_string(run + 1) + " took longer than " +
                     format(Seconds{spec.timeout_seconds});
      return found;
    }
    if (run >= spec.warm_up) {
      found.seconds.push_back(*seconds);
    }
  }
  found.median_seconds = median_of(found.seconds);
  return found;
}

}  // namespace berth::executors
