// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_executor.hpp"

#include <algorithm>
#include <limits>

#include "berth/error.hpp"

#include "kernel_program.hpp"
#include "stream_feeder.hpp"

namespace berth::executors {
namespace {

constexpr std::uint32_t kNoStream = ~std::uint32_t{0};

}  // namespace

StreamExecutor::StreamExecutor(const PlacementProblem& problem,
                               const StreamOptions& options,
                               std::unique_ptr<DeviceDriver> driver)
    : problem_(problem),
      options_(options),
      streams_{problem.execution.streams, options.copy_streams},
      shapes_(make_op_shapes(problem.graph)),
      driver_(std::move(driver)),
      memory_(problem, shapes_, streams_.compute, *driver_) {
  if (problem.graph.num_ops() == 0) {
    throw InputError("graph '" + problem.graph.name() + "' has no ops; expected some to run");
  }
  if (options_.graphs && options_.dispatch == DispatchMode::kReady) {
    throw InputError(
        "graphs=true with dispatch=ready; expected dispatch=ahead, a run that is "
        "dispatched as it goes cannot be replayed");
  }
  options_.emulate_links = options_.emulate_links || problem.graph.cost_basis() == CostBasis::kTime;
}

StreamExecutor::~StreamExecutor() = default;

double StreamExecutor::link_seconds(const ExecutionPlan::Transfer& transfer) const {
  if (options_.latency_seconds > 0.0 || options_.bytes_per_second > 0.0) {
    const double rate = options_.bytes_per_second > 0.0 ? options_.bytes_per_second
                                                        : std::numeric_limits<double>::infinity();
    return options_.latency_seconds +
           static_cast<double>(memory_.result_bytes(transfer.producer)) / rate;
  }
  return options_.emulate_links ? transfer.duration * problem_.costs.seconds_per_unit : 0.0;
}

std::vector<double> StreamExecutor::expected_seconds() const {
  const double scale = problem_.costs.seconds_per_unit;
  std::vector<double> seconds;
  for (std::uint32_t v = 0; v < plan_.num_ops; ++v) {
    seconds.push_back(problem_.costs.compute(to_id<OpId>(v), to_id<DeviceId>(plan_.device[v])) *
                      scale);
  }
  for (const ExecutionPlan::Transfer& transfer : plan_.transfers) {
    seconds.push_back(std::max(transfer.duration * scale, link_seconds(transfer)));
  }
  return seconds;
}

std::optional<std::string> StreamExecutor::prepare(const Placement& placement) {
  if (placement == placement_ && !placement_.device.empty()) {
    return std::nullopt;
  }
  ExecutionPlan plan = make_execution_plan(problem_, placement);
  placement_ = {};
  captured_ = false;
  driver_->synchronize();  // a run that was given up may still use the arenas
  if (auto reason = memory_.prepare(plan)) {
    return reason;
  }
  plan_ = std::move(plan);
  producers_.emplace(plan_);
  stream_plan_ = plan_streams(plan_, *producers_, expected_seconds(), streams_);
  calls_.assign(plan_.num_ops, {});
  calls_stream_.assign(plan_.num_ops, kNoStream);
  record_.resize(plan_.num_tasks());
  std::vector<std::uint32_t> events = plan_.device;  // ends, then starts, then a replay's end
  events.insert(events.end(), plan_.device.begin(), plan_.device.end());
  events.push_back(0);
  driver_->make_events(events);
  placement_ = placement;
  return std::nullopt;
}

Measurement StreamExecutor::measure(const Placement& placement, const MeasureSpec& spec) {
  if (auto reason = prepare(placement)) {
    Measurement found;
    found.status = RolloutStatus::kOutOfMemory;
    found.reason = std::move(*reason);
    return found;
  }
  return measure_runs(spec, [this](double timeout) { return run_once(timeout); });
}

std::optional<double> StreamExecutor::run_once(double timeout_seconds) {
  driver_->start_clock();
  const double begin = driver_->now();
  const double deadline =
      timeout_seconds > 0.0 ? begin + timeout_seconds : std::numeric_limits<double>::infinity();
  const bool replayed = captured_;
  const bool ended =
      options_.dispatch == DispatchMode::kAhead ? run_ahead(deadline) : run_ready(deadline);
  const double seconds = driver_->now() - begin;
  if (!ended) {
    driver_->cancel();
    driver_->synchronize();
    return std::nullopt;
  }
  if (options_.op_times && !replayed) {
    driver_->synchronize();  // the events of the last tasks' starts, too
    read_times();
  }
  if (options_.graphs && !captured_) {
    capture();
  }
  return seconds;
}

bool StreamExecutor::run_ahead(double deadline) {
  if (captured_) {
    driver_->replay(replay_event());
    return await(replay_event(), deadline);
  }
  issue_all(options_.op_times);
  for (std::uint32_t v = 0; v < plan_.num_ops; ++v) {
    if (plan_.successors(v).empty() && !await(v, deadline)) {
      return false;
    }
  }
  return true;
}

void StreamExecutor::issue_all(bool timed) {
  for (const StreamPlan::Step& step : stream_plan_.steps) {
    for (const std::uint32_t producer : stream_plan_.waits_of(step)) {
      driver_->wait(step.stream, producer);
    }
    issue(step.task, step.stream, timed);
    const bool is_last = plan_.successors(step.task).empty();
    if (timed || is_last || stream_plan_.is_waited[step.task] != 0) {
      driver_->record(step.stream, step.task);
    }
  }
}

void StreamExecutor::capture() {
  driver_->begin_capture();
  issue_all(/*timed=*/false);
  driver_->end_capture();
  captured_ = true;
}

bool StreamExecutor::run_ready(double deadline) {
  struct Flight {
    std::uint32_t task;
    StreamId stream;
  };
  std::vector<Flight> flights;
  std::vector<char> woken(plan_.num_devices, 1);
  StreamFeeder feeder(plan_, *producers_, streams_);
  while (!feeder.done()) {
    for (std::uint32_t d = 0; d < plan_.num_devices; ++d) {
      if (woken[d] == 0) {
        continue;
      }
      woken[d] = 0;
      feeder.feed(d, [&](std::uint32_t task, StreamId stream) {
        issue(task, stream, options_.op_times);
        driver_->record(stream, task);
        flights.push_back({task, stream});
      });
    }
    std::erase_if(flights, [&](const Flight& flight) {
      const bool ended = driver_->finished(flight.task);
      if (ended) {
        feeder.end(flight.task, flight.stream, 0.0, [&](std::uint32_t d) { woken[d] = 1; });
      }
      return ended;
    });
    if (!feeder.done() && driver_->now() > deadline) {
      return false;
    }
  }
  return true;
}

bool StreamExecutor::await(std::uint32_t event, double deadline) {
  while (!driver_->finished(event)) {
    if (driver_->now() > deadline) {
      return false;
    }
  }
  return true;
}

void StreamExecutor::issue(std::uint32_t task, StreamId stream, bool timed) {
  record_.stream[task] = stream.number;
  if (timed) {
    driver_->record(stream, start_event(task));
  }
  if (plan_.is_transfer(task)) {
    const ExecutionPlan::Transfer& transfer = plan_.transfer_of(task);
    driver_->copy(stream,
                  {transfer.from,
                   transfer.to,
                   memory_.result(transfer.producer),
                   memory_.result(task),
                   memory_.result_bytes(transfer.producer),
                   link_seconds(transfer)});
    return;
  }
  std::vector<KernelCall>& calls = calls_[task];
  if (calls_stream_[task] != stream.number) {
    calls_stream_[task] = stream.number;
    calls.clear();
    const OpShape& shape = shapes_.ops[task];
    if (shape.function == Function::kEmulated) {
      const double units =
          problem_.costs.compute(to_id<OpId>(task), to_id<DeviceId>(stream.device));
      calls.emplace_back(SpinCall{
          units * problem_.costs.seconds_per_unit, memory_.result(task), static_cast<float>(task)});
    } else {
      append_calls(shape,
                   {memory_.result(task), memory_.sources(task)},
                   memory_.workspace(stream.device, stream.number),
                   calls);
    }
  }
  driver_->launch(stream, calls);
}

void StreamExecutor::read_times() {
  for (std::uint32_t task = 0; task < plan_.num_tasks(); ++task) {
    record_.start[task] = driver_->event_seconds(start_event(task));
    record_.finish[task] = driver_->event_seconds(task);
  }
  for (std::uint32_t task = 0; task < plan_.num_tasks(); ++task) {
    record_.ready[task] = 0.0;
    for (const std::uint32_t producer : producers_->of(task)) {
      record_.ready[task] = std::max(record_.ready[task], record_.finish[producer]);
    }
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
  if (placement_.device.empty()) {
    throw InputError("executor: no run yet; expected a placement to be measured first");
  }
  if (!options_.op_times) {
    throw InputError("executor: op_times=false, so no op was timed; expected op_times=true");
  }
  return trace_of(problem_, plan_, record_);
}

std::vector<float> StreamExecutor::output(OpId op) const {
  if (placement_.device.empty() || !problem_.graph.successors(op).empty()) {
    return {};
  }
  const auto v = static_cast<std::uint32_t>(op);
  std::vector<float> values(shapes_.ops[v].output_reals);
  driver_->read(plan_.device[v], memory_.result(v), values);
  return values;
}

std::string StreamExecutor::description() const {
  const auto emulated = static_cast<std::size_t>(std::ranges::count(
      shapes_.ops, Function::kEmulated, [](const OpShape& shape) { return shape.function; }));
  std::string text = driver_->description() + "; " + std::to_string(streams_.compute) +
                     " compute and " + std::to_string(streams_.copy) + " copy streams a device, ";
  text += options_.dispatch == DispatchMode::kReady ? "dispatched by the host"
          : options_.graphs                         ? "issued ahead, repeats replayed"
                                                    : "issued ahead";
  const bool limited = options_.latency_seconds > 0.0 || options_.bytes_per_second > 0.0;
  text += options_.emulate_links || limited ? ", emulated links" : "";
  text += emulated > 0
              ? ", " + std::to_string(emulated) + " of " + std::to_string(shapes_.ops.size()) +
                    " ops emulated by their stated times"
              : ", real kernels";
  return text;
}

}  // namespace berth::executors
