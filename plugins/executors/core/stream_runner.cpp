// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_runner.hpp"

#include <algorithm>
#include <limits>

#include "berth/error.hpp"

#include "kernel_program.hpp"
#include "stream_feeder.hpp"

namespace berth::executors {
namespace {

constexpr std::uint32_t kNoStream = ~std::uint32_t{0};
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

StreamRunner::StreamRunner(const PlacementProblem& problem,
                           const StreamOptions& options,
                           RankDevices devices,
                           const DeviceShare& share)
    : problem_(problem),
      options_(options),
      streams_{problem.execution.streams, options.copy_streams},
      share_(share),
      shapes_(make_op_shapes(problem.graph)),
      driver_(std::move(devices.driver)),
      memory_(problem, shapes_, streams_.compute, *driver_, share),
      link_(std::move(devices.link)) {
  if (problem.graph.num_ops() == 0) {
    throw InputError("graph '" + problem.graph.name() + "' has no ops; expected some to run");
  }
  const bool by_host = options_.dispatch == DispatchMode::kReady;
  if (options_.graphs && by_host) {
    throw InputError(
        "graphs=true with dispatch=ready; expected dispatch=ahead, a run that is "
        "dispatched as it goes cannot be replayed");
  }
  if (share.ranks() > 1 && (options_.graphs || by_host)) {
    throw InputError(std::string(by_host ? "dispatch=ready" : "graphs=true") + " with " +
                     std::to_string(share.ranks()) + " ranks; expected " +
                     (by_host ? "dispatch=ahead, no host sees what ends on another rank"
                              : "graphs=false, transfers between ranks are not replayed"));
  }
  options_.emulate_links = options_.emulate_links || problem.graph.cost_basis() == CostBasis::kTime;
}

double StreamRunner::link_seconds(const ExecutionPlan::Transfer& transfer) const {
  if (options_.latency_seconds > 0.0 || options_.bytes_per_second > 0.0) {
    const double rate = options_.bytes_per_second > 0.0 ? options_.bytes_per_second
                                                        : std::numeric_limits<double>::infinity();
    return options_.latency_seconds +
           static_cast<double>(memory_.result_bytes(transfer.producer)) / rate;
  }
  return options_.emulate_links ? transfer.duration * problem_.costs.seconds_per_unit : 0.0;
}

std::vector<double> StreamRunner::expected_seconds() const {
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

std::optional<std::string> StreamRunner::prepare(const Placement& placement) {
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
  choose_events();
  placement_ = placement;
  return std::nullopt;
}

void StreamRunner::choose_events() {
  is_recorded_ = stream_plan_.is_waited;
  awaited_.clear();
  std::vector<std::uint32_t> ends(plan_.num_tasks(), 0);  // devices, 0 where no event is recorded
  for (std::uint32_t task = 0; task < plan_.num_tasks(); ++task) {
    if (is_sent(task)) {
      ends[task] = share_.local(plan_.transfer_of(task).from);
      is_recorded_[plan_.transfer_of(task).producer] = 1;
      awaited_.push_back(task);
    } else if (share_.owns(plan_.device[task])) {
      ends[task] = share_.local(plan_.device[task]);
      if (plan_.is_transfer(task) && !share_.owns(plan_.transfer_of(task).from)) {
        is_recorded_[task] = 1;  // so that one that does not come can be told
      } else if (plan_.successors(task).empty()) {
        is_recorded_[task] = 1;
        awaited_.push_back(task);
      }
    }
  }
  std::vector<std::uint32_t> events = ends;  // ends, then starts, then a replay's end
  events.insert(events.end(), ends.begin(), ends.end());
  events.push_back(0);
  driver_->make_events(events);
}

void StreamRunner::connect() {
  if (link_ == nullptr) {
    return;
  }
  std::vector<DevicePair> pairs;  // of all ranks, so that all know of all
  for (const ExecutionPlan::Transfer& transfer : plan_.transfers) {
    if (share_.owner(transfer.from) != share_.owner(transfer.to)) {
      pairs.push_back({transfer.from, transfer.to});
    }
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  link_->connect(pairs);
}

std::optional<double> StreamRunner::run_once(double timeout_seconds) {
  driver_->start_clock();
  const double begin = driver_->now();
  const double deadline = timeout_seconds > 0.0 ? begin + timeout_seconds : kNever;
  const bool replayed = captured_;
  const bool ended =
      options_.dispatch == DispatchMode::kAhead ? run_ahead(deadline) : run_ready(deadline);
  const double seconds = driver_->now() - begin;
  if (!ended) {
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

void StreamRunner::drain(double silence_seconds) {
  driver_->cancel();
  if (link_ != nullptr) {
    const double limit = silence_seconds > 0.0 ? driver_->now() + silence_seconds : kNever;
    for (const std::uint32_t task : awaited_) {
      if (!await(task, limit)) {
        throw RunError(silent_rank());
      }
    }
  }
  driver_->synchronize();
}

void StreamRunner::abandon() {
  if (link_ != nullptr) {
    driver_->cancel();
    link_->abort();
  }
}

std::string StreamRunner::silent_rank() {
  for (const StreamPlan::Step& step : stream_plan_.steps) {
    if (!plan_.is_transfer(step.task)) {
      continue;
    }
    const ExecutionPlan::Transfer& transfer = plan_.transfer_of(step.task);
    const bool is_here = share_.owns(transfer.from) != share_.owns(transfer.to);
    if (is_here && !driver_->finished(step.task)) {
      const bool sends = share_.owns(transfer.from);
      return "rank " + std::to_string(share_.owner(sends ? transfer.to : transfer.from)) +
             " is silent: the result of '" +
             problem_.graph.op_name(to_id<OpId>(transfer.producer)) +
             (sends ? "' was not taken" : "' did not come") + "; expected an answer of its devices";
    }
  }
  return "the devices do not end what they run; expected them to";
}

bool StreamRunner::run_ahead(double deadline) {
  if (captured_) {
    driver_->replay(replay_event());
    return await(replay_event(), deadline);
  }
  issue_all(options_.op_times);
  return std::ranges::all_of(awaited_, [&](std::uint32_t task) { return await(task, deadline); });
}

void StreamRunner::issue_all(bool timed) {
  for (const StreamPlan::Step& step : stream_plan_.steps) {
    if (is_sent(step.task)) {
      issue_send(step.task, timed);
    }
    if (!share_.owns(step.stream.device)) {
      continue;
    }
    for (const std::uint32_t producer : stream_plan_.waits_of(step)) {
      if (share_.owns(plan_.device[producer])) {  // else its arrival is waited for
        driver_->wait(local(step.stream), producer);
      }
    }
    issue(step.task, step.stream, timed);
    if (timed || is_recorded_[step.task] != 0) {
      driver_->record(local(step.stream), step.task);
    }
  }
}

void StreamRunner::issue_send(std::uint32_t task, bool timed) {
  const ExecutionPlan::Transfer& transfer = plan_.transfer_of(task);
  const StreamId stream{share_.local(transfer.from), streams_.all() + transfer.to % streams_.copy};
  driver_->wait(stream, transfer.producer);
  if (timed) {
    driver_->record(stream, start_event(task));
  }
  link_->send(stream, memory_.result(transfer.producer), rank_transfer(transfer));
  driver_->record(stream, task);
}

void StreamRunner::capture() {
  driver_->begin_capture();
  issue_all(/*timed=*/false);
  driver_->end_capture();
  captured_ = true;
}

bool StreamRunner::run_ready(double deadline) {
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
        driver_->record(local(stream), task);
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

bool StreamRunner::await(std::uint32_t event, double deadline) {
  while (!driver_->finished(event)) {
    if (std::string failure = link_ != nullptr ? link_->failure() : ""; !failure.empty()) {
      throw RunError(failure);
    }
    if (driver_->now() > deadline) {
      return false;
    }
  }
  return true;
}

void StreamRunner::issue(std::uint32_t task, StreamId stream, bool timed) {
  record_.stream[task] = stream.number;
  const StreamId here = local(stream);
  if (timed) {
    driver_->record(here, start_event(task));
  }
  if (!plan_.is_transfer(task)) {
    driver_->launch(here, calls_of(task, stream.number));
    return;
  }
  const ExecutionPlan::Transfer& transfer = plan_.transfer_of(task);
  if (!share_.owns(transfer.from)) {
    link_->receive(here, memory_.result(task), rank_transfer(transfer));
    return;
  }
  driver_->copy(here,
                {share_.local(transfer.from),
                 share_.local(transfer.to),
                 memory_.result(transfer.producer),
                 memory_.result(task),
                 memory_.result_bytes(transfer.producer),
                 link_seconds(transfer)});
}

RankTransfer StreamRunner::rank_transfer(const ExecutionPlan::Transfer& transfer) const {
  return {{transfer.from, transfer.to},
          memory_.result_bytes(transfer.producer),
          link_seconds(transfer)};
}

const std::vector<KernelCall>& StreamRunner::calls_of(std::uint32_t op, std::uint32_t number) {
  std::vector<KernelCall>& calls = calls_[op];
  if (calls_stream_[op] == number) {
    return calls;
  }
  calls_stream_[op] = number;
  calls.clear();
  const std::uint32_t device = plan_.device[op];
  const OpShape& shape = shapes_.ops[op];
  if (shape.function == Function::kEmulated) {
    const double units = problem_.costs.compute(to_id<OpId>(op), to_id<DeviceId>(device));
    calls.emplace_back(SpinCall{
        units * problem_.costs.seconds_per_unit, memory_.result(op), static_cast<float>(op)});
  } else {
    append_calls(
        shape, {memory_.result(op), memory_.sources(op)}, memory_.workspace(device, number), calls);
  }
  return calls;
}

void StreamRunner::read_times() {
  for (std::uint32_t task = 0; task < plan_.num_tasks(); ++task) {
    if (is_sent(task) || share_.owns(plan_.device[task])) {
      record_.start[task] = driver_->event_seconds(start_event(task));
      record_.finish[task] = driver_->event_seconds(task);
    }
  }
}

std::vector<float> StreamRunner::result(std::uint32_t op) const {
  std::vector<float> values(shapes_.ops[op].output_reals);
  driver_->read(share_.local(plan_.device[op]), memory_.result(op), values);
  return values;
}

std::string StreamRunner::manner() const {
  const auto emulated = static_cast<std::size_t>(std::ranges::count(
      shapes_.ops, Function::kEmulated, [](const OpShape& shape) { return shape.function; }));
  std::string text = std::to_string(streams_.compute) + " compute and " +
                     std::to_string(streams_.copy) + " copy streams a device, ";
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
