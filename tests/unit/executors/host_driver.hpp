// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#include "berth/rng.hpp"

#include "core/device_driver.hpp"

namespace berth::testing {

using executors::CopyCall;
using executors::DeviceDriver;
using executors::KernelCall;
using executors::MapCall;
using executors::ProductCall;
using executors::ReduceCall;
using executors::SpinCall;
using executors::StreamId;

/// What a driver was asked for, in order.
struct DriverAction {
  enum class Kind : std::uint8_t { kLaunch, kCopy, kRecord, kWait, kJoin, kHalf };
  Kind kind = Kind::kLaunch;
  StreamId stream;
  std::uint32_t event = 0;
  std::vector<KernelCall> calls = {};
  CopyCall copy = {};
  /// Of a half of a transfer between ranks: given its stream's time, whether it has ended, and
  /// when.
  std::function<bool(double& time)> meet = {};
  std::size_t awaited = 0;  ///< Of a wait: number of the record that it waits for.
  double left_seconds = 0.0;
  double issued = 0.0;  ///< Event time that the host knew of.
  bool done = false;
  double seconds = 0.0;  ///< That it takes.
  double met = 0.0;      ///< When both halves had ended.
};

/// Devices that are played on the host, in the worst order that streams and events allow: whenever
/// something must run, any stream whose head may run is taken, by a random number. Work that is not
/// ordered by a stream or an event therefore comes too early in some run, and reads NaN. Keeps what
/// it was asked for. Time is virtual. The host's is a microsecond an action that is played, and
/// what spins say; events have that of their streams: spins and limited copies alone take any, and
/// a stream goes on where the event that it waits for left off.
class HostDriver final : public DeviceDriver {
 public:
  using Kind = DriverAction::Kind;
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  HostDriver(std::size_t devices, std::uint64_t seed, double pool_bytes = 0.0)
      : devices_(devices), rng_(seed, {11}), pool_bytes_(pool_bytes) {}
  ~HostDriver() override {
    for (const auto& [memory, bytes] : blocks_) {
      std::free(memory);
    }
  }

  std::vector<DriverAction> log;  ///< Since the last clear().
  void clear() {
    drain();
    log.clear();
    last_record_.clear();
    for (auto& queue : queues_) {
      queue.second.clear();
    }
  }

  float* allocate(std::uint32_t, std::uint64_t bytes) override {
    auto* const memory = static_cast<float*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    std::fill_n(memory, bytes / sizeof(float), std::numeric_limits<float>::quiet_NaN());
    blocks_[memory] = bytes;
    return memory;
  }
  void release(std::uint32_t, float* memory) noexcept override {
    blocks_.erase(memory);
    std::free(memory);
  }
  void write(std::uint32_t, float* to, std::span<const float> values) override {
    std::memcpy(to, values.data(), values.size_bytes());
  }
  void read(std::uint32_t, const float* from, std::span<float> values) override {
    drain();
    std::memcpy(values.data(), from, values.size_bytes());
  }
  std::uint32_t pool_of(std::uint32_t) const override { return 0; }
  double available(std::uint32_t) override { return pool_bytes_; }
  std::string pool_name(std::uint32_t) const override { return "the double"; }

  void make_events(std::span<const std::uint32_t> device) override {
    clear();
    event_device_.assign(device.begin(), device.end());
    seconds_.assign(device.size(), 0.0);
  }

  void launch(StreamId stream, std::span<const KernelCall> calls) override {
    DriverAction action{Kind::kLaunch, stream, 0, {calls.begin(), calls.end()}};
    for (const KernelCall& call : calls) {
      if (const auto* const spin = std::get_if<SpinCall>(&call)) {
        action.left_seconds += spin->seconds;
      }
    }
    action.seconds = action.left_seconds;
    put(std::move(action));
  }
  void copy(StreamId stream, const CopyCall& call) override {
    DriverAction action{Kind::kCopy, stream, 0, {}, call};
    action.seconds = action.left_seconds = call.least_seconds;
    put(std::move(action));
  }
  /// A half of a transfer between ranks.
  void put_half(StreamId stream, double seconds, std::function<bool(double&)> meet) {
    DriverAction action{Kind::kHalf, stream};
    action.meet = std::move(meet);
    action.seconds = action.left_seconds = seconds;
    put(std::move(action));
  }
  void record(StreamId stream, std::uint32_t event) override {
    if (event_device_.at(event) != stream.device) {
      throw std::logic_error("an event of another device is recorded");
    }
    put({Kind::kRecord, stream, event});
  }
  void wait(StreamId stream, std::uint32_t event) override { put({Kind::kWait, stream, event}); }

  bool finished(std::uint32_t event) override {
    const std::size_t record = record_of(event);
    if (!log[record].done) {
      step();
    }
    if (log[record].done) {
      known_ = std::max(known_, seconds_.at(event));
    }
    return log[record].done;
  }
  void synchronize() override { drain(); }
  void cancel() override { cancelled_ = true; }
  void start_clock() override {
    clear();
    cancelled_ = false;
    known_ = 0.0;
    stream_seconds_.clear();
  }
  double now() override { return now_ += 1e-7; }
  double event_seconds(std::uint32_t event) override {
    if (!log[record_of(event)].done) {
      throw std::logic_error("the time of an event that was not reached is read");
    }
    return seconds_.at(event);
  }

  void begin_capture() override {
    clear();
    capturing_ = true;
    captured_.clear();
  }
  void end_capture() override { capturing_ = false; }
  void replay(std::uint32_t event) override {
    for (const DriverAction& action : captured_) {
      put(action);
    }
    put({Kind::kJoin, {~std::uint32_t{0}, 0}, event});
  }
  std::string description() const override {
    return std::to_string(devices_) + " devices played on the host";
  }

 private:
  void put(DriverAction action) {
    if (capturing_) {
      captured_.push_back(std::move(action));
      return;
    }
    action.issued = known_;
    if (action.kind == Kind::kWait) {
      action.awaited = record_of(action.event);
    }
    if (action.kind == Kind::kRecord || action.kind == Kind::kJoin) {
      last_record_[action.event] = log.size();
    }
    queues_[{action.stream.device, action.stream.number}].push_back(log.size());
    log.push_back(std::move(action));
  }

  std::size_t record_of(std::uint32_t event) const {
    const auto found = last_record_.find(event);
    if (found == last_record_.end()) {
      throw std::logic_error("event " + std::to_string(event) + " was never recorded");
    }
    return found->second;
  }

  bool may_run(std::size_t number) {
    DriverAction& action = log[number];
    if (action.kind == Kind::kHalf && (action.left_seconds <= 0.0 || cancelled_)) {
      const auto stream = stream_seconds_.find({action.stream.device, action.stream.number});
      double time = std::max(stream == stream_seconds_.end() ? 0.0 : stream->second, action.issued);
      time += action.seconds;
      if (!action.meet(time)) {
        return false;
      }
      action.met = time;
    }
    if (action.kind == Kind::kWait) {
      return log[action.awaited].done;
    }
    if (action.kind == Kind::kJoin) {
      for (std::size_t before = 0; before < number; ++before) {
        if (!log[before].done) {
          return false;
        }
      }
    }
    return true;
  }

  /// Runs the head of one stream; false if nothing is left.
  bool step() {
    std::vector<std::deque<std::size_t>*> able;
    bool left = false;
    for (auto& [stream, queue] : queues_) {
      left = left || !queue.empty();
      if (!queue.empty() && may_run(queue.front())) {
        able.push_back(&queue);
      }
    }
    if (able.empty()) {
      if (left && !await_other_ranks()) {
        throw std::logic_error("streams wait for each other");
      }
      return left;
    }
    auto& queue = *able[rng_.below(able.size())];
    DriverAction& action = log[queue.front()];
    if (action.left_seconds > 0.0 && !cancelled_) {
      const double part = std::min(action.left_seconds, 1e-3);
      action.left_seconds -= part;
      now_ += part;
      return true;
    }
    now_ += 1e-6;
    run(action);
    action.done = true;
    queue.pop_front();
    return true;
  }
  /// Lets others go on if a half at the head of a stream waits for them.
  bool await_other_ranks() {
    for (const auto& [stream, queue] : queues_) {
      if (!queue.empty() && log[queue.front()].kind == Kind::kHalf) {
        now_ += 1e-4;
        std::this_thread::sleep_for(std::chrono::microseconds(10));
        return true;
      }
    }
    return false;
  }
  void drain() {
    while (step()) {
    }
  }

  void run(const DriverAction& action) {
    double& time = stream_seconds_[{action.stream.device, action.stream.number}];
    time = std::max(time, action.issued) + action.seconds;
    switch (action.kind) {
      case Kind::kLaunch:
        for (const KernelCall& call : action.calls) {
          std::visit([](const auto& one) { run_call(one); }, call);
        }
        return;
      case Kind::kHalf:
        time = action.met;
        return;
      case Kind::kCopy:
        std::memcpy(action.copy.to, action.copy.from, action.copy.bytes);
        return;
      case Kind::kRecord:
      case Kind::kJoin:
        seconds_.at(action.event) = time;
        return;
      case Kind::kWait:
        time = std::max(time, seconds_.at(action.event));
        return;
    }
  }

  static void run_call(const MapCall& call) {
    for (std::uint64_t point = 0; point < call.points; ++point) {
      map_point(call, point);
    }
  }
  static void run_call(const ReduceCall& call) {
    constexpr std::uint32_t kLanes = 32;
    for (std::uint64_t point = 0; point < call.points; ++point) {
      float result = reduce_lane(call, point, 0, kLanes);
      for (std::uint32_t lane = 1; lane < kLanes; ++lane) {
        const float part = reduce_lane(call, point, lane, kLanes);
        result = call.is_sum ? result + part : executors::greater_of(result, part);
      }
      call.out[offsets_of(call.nest, point).out] = result;
    }
  }
  static void run_call(const ProductCall& p) {
    for (std::uint32_t b = 0; b < p.batch; ++b) {
      const float* const left = p.a + b * p.stride_a;
      const float* const right = p.b + b * p.stride_b;
      for (std::uint32_t i = 0; i < p.m; ++i) {
        for (std::uint32_t j = 0; j < p.n; ++j) {
          float& out = p.c[b * p.stride_c + i * p.ldc + j];
          float sum = p.accumulate ? out : 0.0F;
          for (std::uint32_t l = 0; l < p.k; ++l) {
            sum += left[p.a_transposed ? l * p.lda + i : i * p.lda + l] *
                   right[p.b_transposed ? j * p.ldb + l : l * p.ldb + j];
          }
          out = sum;
        }
      }
    }
  }
  static void run_call(const SpinCall& call) { *call.out = call.value; }

  std::size_t devices_;
  Rng rng_;
  double pool_bytes_;
  std::map<float*, std::uint64_t> blocks_;
  std::vector<std::uint32_t> event_device_;
  std::vector<double> seconds_;  ///< [events]
  std::map<std::uint32_t, std::size_t> last_record_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::size_t>> queues_;
  std::vector<DriverAction> captured_;
  bool capturing_ = false;
  bool cancelled_ = false;
  double now_ = 0.0;
  double known_ = 0.0;  ///< Latest event that the host has seen.
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> stream_seconds_;
};

}  // namespace berth::testing
