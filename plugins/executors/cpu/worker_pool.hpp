// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace berth::executors {

/// Threads that stay: each run they start together, and each calls a body once.
class WorkerPool {
 public:
  /// @param cores for each worker, where it may run. @param body gets the worker's number; must
  /// not throw. @param crowded workers outnumber cores: nobody spins.
  WorkerPool(std::vector<std::vector<int>> cores,
             bool crowded,
             std::function<void(std::size_t)> body);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  /// Starts a run. @pre the last one was waited for.
  void start();
  /// Waits until every body has returned, at most until `deadline`; false if some have not.
  [[nodiscard]] bool wait(std::chrono::steady_clock::time_point deadline);
  /// Waits for as long as it takes.
  void wait();

 private:
  void live(std::size_t worker, const std::vector<int>& cores);
  [[nodiscard]] bool await_run(std::uint64_t& seen);

  std::function<void(std::size_t)> body_;
  bool crowded_;
  std::size_t size_;
  std::atomic<std::uint64_t> run_{0};
  std::atomic<std::size_t> arrived_{0};
  std::atomic<bool> ends_{false};
  std::mutex lock_;
  std::condition_variable changed_;
  std::size_t busy_ = 0;  ///< Under lock_.
  std::condition_variable rested_;
  std::vector<std::thread> threads_;
};

/// A hint to the core that a loop only waits.
inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace berth::executors
