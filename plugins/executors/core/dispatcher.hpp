// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "execution_plan.hpp"

namespace berth::executors {

/// Decides what a device runs next: dependency counters and a ready queue a device. Work-
/// conserving: take() gives a task whenever one may start. Copies go before ops; ops by the
/// placement's discipline, under fifo in the order in which they became ready.
///
/// take() and complete() may be called by any thread, for each device by several; one lock a
/// device, held for a few instructions. load() and restart() want all others at rest. Times are
/// the caller's, in seconds.
class Dispatcher {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Takes over a plan, which must outlive the dispatcher or the next load().
  void load(const ExecutionPlan& plan);
  /// Puts everything back to the start of a run.
  void restart();

  /// What a device may do now.
  struct Choice {
    std::uint32_t task = kNone;
    double due = 0.0;  ///< Without a task: when a delayed transfer ends next; 0 if none is.
  };
  /// The next task for a free stream of `device` at time `now`.
  [[nodiscard]] Choice take(std::uint32_t device, double now);
  /// The next copy alone, for a device that copies on streams of their own, or the next op alone;
  /// kNone without one.
  [[nodiscard]] std::uint32_t take_copy(std::uint32_t device);
  [[nodiscard]] std::uint32_t take_op(std::uint32_t device);

  /// `task` ended at `now`. Calls wake(device) for every device that has something new to do.
  template <class Wake>
  void complete(std::uint32_t task, double now, const Wake& wake) {
    const ExecutionPlan& plan = *plan_;
    std::uint32_t woken = kNone;  // successors are mostly on one device
    for (const std::uint32_t next : plan.successors(task)) {
      if (arrive(next, now)) {
        const std::uint32_t device = plan.device[next];
        push(device, next);
        if (device != woken) {
          wake(device);
          woken = device;
        }
      }
    }
    if (task < plan.num_ops) {
      left_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  /// A transfer whose bytes have come, but whose emulated link delivers only at `due`: take() of
  /// its destination ends it then.
  void delay(std::uint32_t transfer, double due);

  /// True when all ops have ended.
  [[nodiscard]] bool done() const noexcept { return left_.load(std::memory_order_acquire) == 0; }

  /// When `task` got the latest of its inputs, in the last run.
  [[nodiscard]] double ready_time(std::uint32_t task) const noexcept {
    return inputs_[task].latest.load(std::memory_order_relaxed);
  }

 private:
  struct Waiting {
    double rank;  ///< Order value; under fifo when it became ready.
    std::uint64_t sequence;
    std::uint32_t task;
  };
  struct Delayed {
    double due;
    std::uint32_t transfer;
  };
  struct alignas(64) Queue {
    std::mutex lock;
    std::vector<std::uint32_t> copies;  ///< First in, first out from `first_copy`.
    std::size_t first_copy = 0;
    std::vector<Waiting> ops;  ///< Heap, least rank on top; under fifo sorted from `first_op`.
    std::size_t first_op = 0;
    std::uint64_t sequence = 0;
    std::vector<Delayed> delayed;         ///< Heap, least `due` on top.
    std::vector<std::uint32_t> in_order;  ///< Static order: the device's ops.
    std::size_t next_in_order = 0;
  };

  /// What a task has of its inputs.
  struct alignas(16) Inputs {
    std::atomic<double> latest;          ///< When the latest so far came.
    std::atomic<std::uint32_t> pending;  ///< How many are still to come.
  };

  /// `task` has one more of its inputs, as of `now`. True if that was the last to come: not always
  /// the latest, as an emulated link may have delivered before the copy was made.
  bool arrive(std::uint32_t task, double now) noexcept {
    Inputs& inputs = inputs_[task];
    if (inputs.pending.load(std::memory_order_acquire) == 1) {  // Nobody else is left to tell.
      const double latest = inputs.latest.load(std::memory_order_relaxed);
      inputs.latest.store(std::max(latest, now), std::memory_order_relaxed);
      inputs.pending.store(0, std::memory_order_relaxed);
      return true;
    }
    double latest = inputs.latest.load(std::memory_order_relaxed);
    while (latest < now &&
           !inputs.latest.compare_exchange_weak(latest, now, std::memory_order_relaxed)) {
    }
    return inputs.pending.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  void push(std::uint32_t device, std::uint32_t task);
  void push_locked(Queue& queue, std::uint32_t task);
  [[nodiscard]] static std::uint32_t next_copy(Queue& queue);
  [[nodiscard]] std::uint32_t next_op(Queue& queue);

  const ExecutionPlan* plan_ = nullptr;
  std::unique_ptr<Inputs[]> inputs_;  ///< [tasks]
  std::size_t num_tasks_ = 0;
  std::vector<char> is_waiting_;  ///< [ops] of a static order, under its device's lock.
  std::vector<std::unique_ptr<Queue>> queues_;
  std::atomic<std::size_t> left_{0};
};

}  // namespace berth::executors
