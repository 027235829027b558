// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "worker_pool.hpp"

#include "host_cores.hpp"

namespace berth::executors {

WorkerPool::WorkerPool(std::vector<std::vector<int>> cores,
                       bool crowded,
                       std::function<void(std::size_t)> body)
    : body_(std::move(body)), crowded_(crowded), size_(cores.size()) {
  threads_.reserve(cores.size());
  for (std::size_t worker = 0; worker < cores.size(); ++worker) {
    threads_.emplace_back([this, worker, on = std::move(cores[worker])] { live(worker, on); });
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard held(lock_);
    ends_.store(true);
    run_.fetch_add(1);
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void WorkerPool::start() {
  {
    const std::lock_guard held(lock_);
    busy_ = threads_.size();
    arrived_.store(0);
    run_.fetch_add(1);
  }
  changed_.notify_all();
}

bool WorkerPool::wait(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock held(lock_);
  return rested_.wait_until(held, deadline, [this] { return busy_ == 0; });
}

void WorkerPool::wait() {
  std::unique_lock held(lock_);
  rested_.wait(held, [this] { return busy_ == 0; });
}

bool WorkerPool::await_run(std::uint64_t& seen) {
  constexpr auto kPatience = std::chrono::microseconds(200);  // a repeat follows at once
  const auto begin = std::chrono::steady_clock::now();
  while (!crowded_ && run_.load() == seen && std::chrono::steady_clock::now() - begin < kPatience) {
    relax();
  }
  if (run_.load() == seen) {
    std::unique_lock held(lock_);
    changed_.wait(held, [&] { return run_.load() != seen; });
  }
  seen = run_.load();
  return !ends_.load();
}

void WorkerPool::live(std::size_t worker, const std::vector<int>& cores) {
  settle_thread(cores);
  std::uint64_t seen = 0;
  while (await_run(seen)) {
    arrived_.fetch_add(1);
    while (arrived_.load() < size_) {  // none starts before all are awake
      crowded_ ? std::this_thread::yield() : relax();
    }
    body_(worker);
    const std::lock_guard held(lock_);
    if (--busy_ == 0) {
      rested_.notify_all();
    }
  }
}

}  // namespace berth::executors
