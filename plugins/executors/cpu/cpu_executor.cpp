// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cpu_executor.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "berth/error.hpp"

#include "cache_eviction.hpp"
#include "host_cores.hpp"

namespace berth::executors {
namespace {

bool has_emulated_ops(const OpShapes& shapes) {
  return std::ranges::any_of(
      shapes.ops, [](const OpShape& shape) { return shape.function == Function::kEmulated; });
}

}  // namespace

CpuExecutor::CpuExecutor(const PlacementProblem& problem, const CpuOptions& options)
    : problem_(problem),
      options_(options),
      streams_(problem.execution.streams),
      shapes_(make_op_shapes(problem.graph)),
      memory_(problem, shapes_, streams_, host_, DeviceShare(problem.topology.num_devices())),
      links_(problem.topology),
      signals_(problem.topology.num_devices()) {
  if (problem.graph.num_ops() == 0) {
    throw InputError("graph '" + problem.graph.name() + "' has no ops; expected some to run");
  }
  options_.emulate_links = options_.emulate_links || problem.graph.cost_basis() == CostBasis::kTime;
  const std::vector<int> allowed = allowed_cores();
  host_cores_ = allowed.size();
  const std::size_t devices = problem.topology.num_devices();
  const std::size_t per_device = options_.cores_per_device;
  crowded_ = devices * std::max<std::size_t>(per_device, streams_) > allowed.size();
  std::vector<std::vector<int>> cores;
  for (std::size_t d = 0; d < devices; ++d) {
    std::vector<int> own;
    for (std::size_t c = 0; c < per_device; ++c) {
      own.push_back(allowed[(d * per_device + c) % allowed.size()]);
    }
    cores.insert(cores.end(), streams_, own);
  }
  if (has_emulated_ops(shapes_)) {
    work_kernel_.emplace();
  }
  pool_ = std::make_unique<WorkerPool>(
      std::move(cores), crowded_, [this](std::size_t worker) { work(worker); });
}

CpuExecutor::~CpuExecutor() = default;

std::optional<std::string> CpuExecutor::prepare(const Placement& placement) {
  if (placement == placement_ && !placement_.device.empty()) {
    return std::nullopt;
  }
  ExecutionPlan plan = make_execution_plan(problem_, placement);
  placement_ = {};
  if (auto reason = memory_.prepare(plan)) {
    return reason;
  }
  plan_ = std::move(plan);
  placement_ = placement;
  dispatcher_.load(plan_);
  slot_.assign(plan_.transfers.size(), {});
  record_.resize(plan_.num_tasks());
  rounds_.assign(plan_.num_ops, 0);
  for (std::uint32_t v = 0; v < plan_.num_ops; ++v) {
    if (shapes_.ops[v].function == Function::kEmulated) {
      const double time = problem_.costs.compute(to_id<OpId>(v), placement.device[v]);
      rounds_[v] = work_kernel_->rounds_for(time * problem_.costs.seconds_per_unit);
    }
  }
  return std::nullopt;
}

Measurement CpuExecutor::measure(const Placement& placement, const MeasureSpec& spec) {
  if (auto reason = prepare(placement)) {
    Measurement found;
    found.status = RolloutStatus::kOutOfMemory;
    found.reason = std::move(*reason);
    return found;
  }
  return measure_runs(spec, [this](double timeout_seconds) -> std::optional<double> {
    if (!run_once(timeout_seconds)) {
      return std::nullopt;
    }
    const auto ops = static_cast<std::ptrdiff_t>(plan_.num_ops);
    return *std::max_element(record_.finish.begin(), record_.finish.begin() + ops) -
           *std::min_element(record_.start.begin(), record_.start.begin() + ops);
  });
}

bool CpuExecutor::run_once(double timeout_seconds) {
  cancelled_.store(false);
  for (std::uint32_t d = 0; d < plan_.num_devices; ++d) {
    evict_from_caches(memory_.results(d));
  }
  dispatcher_.restart();
  links_.reset();
  base_ = Clock::now();
  pool_->start();
  if (timeout_seconds <= 0.0) {
    pool_->wait();
  } else if (!pool_->wait(base_ + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(timeout_seconds)))) {
    cancelled_.store(true);
    wake_all();
    pool_->wait();
  }
  return dispatcher_.done();
}

void CpuExecutor::work(std::size_t worker) noexcept {
  const auto device = static_cast<std::uint32_t>(worker / streams_);
  const auto stream = static_cast<std::uint32_t>(worker % streams_);
  const std::chrono::microseconds spin(crowded_ ? 0 : options_.spin_microseconds);
  while (!dispatcher_.done() && !cancelled_.load(std::memory_order_relaxed)) {
    const std::uint32_t seen = signals_[device].seen();
    const Dispatcher::Choice choice = dispatcher_.take(device, now());
    if (choice.task != Dispatcher::kNone) {
      record_.stream[choice.task] = stream;
      plan_.is_transfer(choice.task) ? run_transfer(choice.task)
                                     : run_op(choice.task, device, stream);
      continue;
    }
    if (dispatcher_.done() || cancelled_.load()) {
      break;
    }
    const auto until = choice.due > 0.0 ? base_ + std::chrono::duration_cast<Clock::duration>(
                                                      std::chrono::duration<double>(choice.due))
                                        : Clock::time_point::max();
    signals_[device].wait(seen, until, spin);
  }
}

void CpuExecutor::run_op(std::uint32_t op, std::uint32_t device, std::uint32_t stream) noexcept {
  const OpShape& shape = shapes_.ops[op];
  record_.start[op] = now();
  if (shape.function == Function::kEmulated) {
    WorkKernel::run(rounds_[op], cancelled_);
    *memory_.result(op) = static_cast<float>(op);
  } else {
    run_kernel(shape, {memory_.result(op), memory_.sources(op)}, memory_.workspace(device, stream));
  }
  const double end = now();
  record_.finish[op] = end;
  if (options_.emulate_links) {
    reserve_links(op, end);
  }
  complete(op, end);
}

void CpuExecutor::reserve_links(std::uint32_t op, double now) {
  for (const std::uint32_t next : plan_.successors(op)) {
    if (plan_.is_transfer(next)) {
      const ExecutionPlan::Transfer& transfer = plan_.transfer_of(next);
      slot_[next - plan_.num_ops] = links_.reserve(
          transfer.from, transfer.to, now, transfer.duration * problem_.costs.seconds_per_unit);
    }
  }
}

void CpuExecutor::run_transfer(std::uint32_t transfer) noexcept {
  const std::uint32_t producer = plan_.transfer_of(transfer).producer;
  record_.start[transfer] = now();
  std::memcpy(memory_.result(transfer), memory_.result(producer), memory_.result_bytes(producer));
  const double end = now();
  record_.finish[transfer] = end;
  if (options_.emulate_links) {
    const LinkClock::Slot& slot = slot_[transfer - plan_.num_ops];
    record_.start[transfer] = slot.start;
    record_.finish[transfer] = slot.finish;
    if (slot.finish > end) {
      dispatcher_.delay(transfer, slot.finish);
      if (streams_ > 1) {
        signals_[plan_.device[transfer]].notify();  // another thread may have to see it through
      }
      return;
    }
  }
  complete(transfer, record_.finish[transfer]);
}

void CpuExecutor::complete(std::uint32_t task, double now) noexcept {
  dispatcher_.complete(task, now, [this](std::uint32_t device) { signals_[device].notify(); });
  if (dispatcher_.done()) {
    wake_all();
  }
}

void CpuExecutor::wake_all() noexcept {
  for (DeviceSignal& signal : signals_) {
    signal.notify();
  }
}

double CpuExecutor::makespan(const Placement& placement) {
  const Measurement found = measure(placement, {1, 1, 0.0});
  if (found.status != RolloutStatus::kOk) {
    throw RunError("executor: " + found.reason);
  }
  return found.median_seconds / problem_.costs.seconds_per_unit;
}

Trace CpuExecutor::trace(const Placement& placement) {
  static_cast<void>(makespan(placement));
  return last_trace();
}

Trace CpuExecutor::last_trace() const {
  if (placement_.device.empty()) {
    throw InputError("executor: no run yet; expected a placement to be measured first");
  }
  RunRecord record = record_;
  for (std::uint32_t v = 0; v < plan_.num_ops; ++v) {
    record.ready[v] = dispatcher_.ready_time(v);
  }
  return trace_of(problem_, plan_, record);
}

std::vector<float> CpuExecutor::output(OpId op) const {
  if (placement_.device.empty() || !problem_.graph.successors(op).empty()) {
    return {};
  }
  const auto v = static_cast<std::uint32_t>(op);
  const float* const begin = memory_.result(v);
  return {begin, begin + shapes_.ops[v].output_reals};
}

std::string CpuExecutor::description() const {
  const std::size_t devices = problem_.topology.num_devices();
  const auto plural = [](std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
  };
  const auto emulated = static_cast<std::size_t>(std::ranges::count(
      shapes_.ops, Function::kEmulated, [](const OpShape& shape) { return shape.function; }));
  std::string text = plural(devices, "device") + " of " +
                     plural(options_.cores_per_device, "core") + " and " +
                     plural(streams_, "thread");
  text += options_.emulate_links ? ", emulated links" : ", links are the host's memory";
  text += emulated > 0 ? ", " + plural(emulated, "op") + " of " +
                             std::to_string(shapes_.ops.size()) + " emulated by their stated times"
                       : ", real kernels";
  text += crowded_ ? "; the host has " + plural(host_cores_, "core") +
                         ": devices share them, times are not those of separate devices"
                   : "";
  return text;
}

}  // namespace berth::executors
