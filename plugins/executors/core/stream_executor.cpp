// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_executor.hpp"

#include <bit>
#include <cstdint>

#include "berth/error.hpp"

namespace berth::executors {
namespace {

/// What must be equal on all ranks for their plans to be.
std::string text_of(const PlacementProblem& problem, const StreamOptions& options) {
  std::string text = problem.name;
  for (const std::uint64_t number : {problem.graph.hash(),
                                     problem.topology.hash(),
                                     std::uint64_t{problem.execution.streams},
                                     static_cast<std::uint64_t>(problem.execution.discipline),
                                     std::uint64_t{options.copy_streams},
                                     std::uint64_t{options.emulate_links},
                                     std::bit_cast<std::uint64_t>(options.latency_seconds),
                                     std::bit_cast<std::uint64_t>(options.bytes_per_second)}) {
    text += " " + std::to_string(number);
  }
  return text;
}

}  // namespace

StreamExecutor::StreamExecutor(const PlacementProblem& problem,
                               const StreamOptions& options,
                               std::unique_ptr<DeviceDriver> driver)
    : problem_(problem),
      op_times_(options.op_times),
      ranks_(problem.topology.num_devices()),
      runner_(problem, options, {std::move(driver), nullptr}, ranks_.share()),
      description_(runner_.devices() + "; " + runner_.manner()) {}

StreamExecutor::StreamExecutor(const PlacementProblem& problem,
                               const StreamOptions& options,
                               RankDevices devices,
                               PeerGroup& peers)
    : problem_(problem),
      op_times_(options.op_times),
      ranks_(problem.topology.num_devices(), peers),
      runner_(problem, options, std::move(devices), ranks_.share()) {
  ranks_.expect_equal(text_of(problem, options), "problem");
  const std::string between = peers.size() > 1 ? "; between ranks: " + runner_.link() : "";
  description_ = ranks_.join(runner_.devices()) + between + "; " + runner_.manner();
}

Measurement StreamExecutor::measure(const Placement& placement, const MeasureSpec& spec) {
  has_run_ = false;
  if (auto reason = ranks_.agree(placement, spec, runner_.prepare(placement))) {
    Measurement found;
    found.status = RolloutStatus::kOutOfMemory;
    found.reason = std::move(*reason);
    return found;
  }
  has_run_ = true;
  runner_.connect();
  MeasureSpec limited = spec;
  limited.timeout_seconds = ranks_.longest_run(spec.timeout_seconds);
  return measure_runs(limited, [this](double timeout) { return run_once(timeout); });
}

std::optional<double> StreamExecutor::run_once(double timeout_seconds) {
  try {
    ranks_.start();
    const std::optional<double> seconds =
        ranks_.slowest(runner_.run_once(timeout_seconds), timeout_seconds);
    if (!seconds) {
      runner_.drain(ranks_.silence_seconds());
    }
    return seconds;
  } catch (...) {
    runner_.abandon();
    throw;
  }
}

double StreamExecutor::makespan(const Placement& placement) {
  const Measurement found = measure(placement, {1, 1, 0.0});
  if (found.status != RolloutStatus::kOk) {
    throw RunError("executor: " + found.reason);
  }
  return found.median_seconds / problem_.costs.seconds_per_unit;
}

Trace StreamExecutor::trace(const Placement& placement) {
  static_cast<void>(makespan(placement));
  return last_trace();
}

Trace StreamExecutor::last_trace() const {
  if (!has_run_) {
    throw InputError("executor: no run yet; expected a placement to be measured first");
  }
  if (!op_times_) {
    throw InputError("executor: op_times=false, so no op was timed; expected op_times=true");
  }
  RunRecord record = ranks_.merged(runner_.record(), runner_.plan());
  set_ready(runner_.plan(), record);
  return trace_of(problem_, runner_.plan(), record);
}

std::vector<float> StreamExecutor::output(OpId op) const {
  if (!has_run_ || !problem_.graph.successors(op).empty()) {
    return {};
  }
  const auto v = static_cast<std::uint32_t>(op);
  const std::uint32_t device = runner_.plan().device[v];
  return ranks_.from_owner(device,
                           ranks_.share().owns(device) ? runner_.result(v) : std::vector<float>{});
}

std::string StreamExecutor::description() const {
  return description_;
}

}  // namespace berth::executors
