// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "dispatcher.hpp"

#include <algorithm>

namespace berth::executors {
namespace {

/// Heaps of the standard library have their greatest element on top.
constexpr auto kLater = [](const auto& a, const auto& b) { return a.due > b.due; };
constexpr auto kAfter = [](const auto& a, const auto& b) {
  return a.rank != b.rank ? a.rank > b.rank : a.sequence > b.sequence;
};

}  // namespace

void Dispatcher::load(const ExecutionPlan& plan) {
  if (plan_ == nullptr || plan.num_tasks() != num_tasks_) {
    num_tasks_ = plan.num_tasks();
    inputs_ = std::make_unique<Inputs[]>(num_tasks_);
  }
  plan_ = &plan;
  while (queues_.size() < plan.num_devices) {
    queues_.push_back(std::make_unique<Queue>());
  }
  for (const auto& queue : queues_) {
    queue->in_order.clear();
  }
  if (plan.discipline == Discipline::kStaticOrder) {
    for (std::uint32_t v = 0; v < plan.num_ops; ++v) {
      queues_[plan.device[v]]->in_order.push_back(v);
    }
    for (const auto& queue : queues_) {
      std::stable_sort(
          queue->in_order.begin(),
          queue->in_order.end(),
          [&plan](std::uint32_t a, std::uint32_t b) { return plan.order[a] < plan.order[b]; });
    }
  }
}

void Dispatcher::restart() {
  const ExecutionPlan& plan = *plan_;
  for (std::size_t task = 0; task < plan.num_tasks(); ++task) {
    inputs_[task].latest.store(0.0, std::memory_order_relaxed);
    inputs_[task].pending.store(plan.pending[task], std::memory_order_relaxed);
  }
  is_waiting_.assign(plan.discipline == Discipline::kStaticOrder ? plan.num_ops : 0, 0);
  for (const auto& queue : queues_) {
    queue->copies.clear();
    queue->ops.clear();
    queue->delayed.clear();
    queue->first_copy = queue->first_op = queue->next_in_order = 0;
    queue->sequence = 0;
  }
  for (const std::uint32_t task : plan.sources) {
    push_locked(*queues_[plan.device[task]], task);
  }
  left_.store(plan.num_ops, std::memory_order_release);
}

void Dispatcher::push(std::uint32_t device, std::uint32_t task) {
  Queue& queue = *queues_[device];
  const std::lock_guard held(queue.lock);
  push_locked(queue, task);
}

void Dispatcher::push_locked(Queue& queue, std::uint32_t task) {
  const ExecutionPlan& plan = *plan_;
  if (plan.is_transfer(task)) {
    queue.copies.push_back(task);
    return;
  }
  if (plan.discipline == Discipline::kStaticOrder) {
    is_waiting_[task] = 1;
    return;
  }
  if (plan.discipline == Discipline::kPriority) {
    queue.ops.push_back({plan.order[task], queue.sequence++, task});
    std::push_heap(queue.ops.begin(), queue.ops.end(), kAfter);
    return;
  }
  const Waiting last{ready_time(task), queue.sequence++, task};
  auto place = queue.ops.end();
  const auto first = queue.ops.begin() + static_cast<std::ptrdiff_t>(queue.first_op);
  if (place != first && kAfter(place[-1], last)) {  // Only with emulated links.
    place = std::upper_bound(
        first, place, last, [](const Waiting& a, const Waiting& b) { return kAfter(b, a); });
  }
  queue.ops.insert(place, last);
}

std::uint32_t Dispatcher::next_copy(Queue& queue) {
  return queue.first_copy < queue.copies.size() ? queue.copies[queue.first_copy++] : kNone;
}

std::uint32_t Dispatcher::take_copy(std::uint32_t device) {
  Queue& queue = *queues_[device];
  const std::lock_guard held(queue.lock);
  return next_copy(queue);
}

std::uint32_t Dispatcher::take_op(std::uint32_t device) {
  Queue& queue = *queues_[device];
  const std::lock_guard held(queue.lock);
  return next_op(queue);
}

std::uint32_t Dispatcher::next_op(Queue& queue) {
  if (plan_->discipline == Discipline::kStaticOrder) {
    const bool may = queue.next_in_order < queue.in_order.size() &&
                     is_waiting_[queue.in_order[queue.next_in_order]] != 0;
    return may ? queue.in_order[queue.next_in_order++] : kNone;
  }
  if (queue.first_op == queue.ops.size()) {
    return kNone;
  }
  if (plan_->discipline == Discipline::kPriority) {
    std::pop_heap(queue.ops.begin(), queue.ops.end(), kAfter);
    const std::uint32_t task = queue.ops.back().task;
    queue.ops.pop_back();
    return task;
  }
  return queue.ops[queue.first_op++].task;
}

Dispatcher::Choice Dispatcher::take(std::uint32_t device, double now) {
  Queue& queue = *queues_[device];
  const std::lock_guard held(queue.lock);
  while (!queue.delayed.empty() && queue.delayed.front().due <= now) {
    std::pop_heap(queue.delayed.begin(), queue.delayed.end(), kLater);
    const Delayed arrived = queue.delayed.back();
    queue.delayed.pop_back();
    for (const std::uint32_t next : plan_->successors(arrived.transfer)) {  // all on this device
      if (arrive(next, arrived.due)) {
        push_locked(queue, next);
      }
    }
  }
  if (const std::uint32_t copy = next_copy(queue); copy != kNone) {
    return {copy, 0.0};
  }
  const std::uint32_t op = next_op(queue);
  return {op, op == kNone && !queue.delayed.empty() ? queue.delayed.front().due : 0.0};
}

void Dispatcher::delay(std::uint32_t transfer, double due) {
  Queue& queue = *queues_[plan_->device[transfer]];
  const std::lock_guard held(queue.lock);
  queue.delayed.push_back({due, transfer});
  std::push_heap(queue.delayed.begin(), queue.delayed.end(), kLater);
}

}  // namespace berth::executors
