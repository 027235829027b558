// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace berth::launcher {

/// MPI from its start to its end, and the few exchanges that the farm needs. With one rank no
/// exchange calls MPI, so `berth train` runs the same code without mpirun.
///
/// Waiting polls instead of blocking: a rank that stays silent longer than the watchdog allows is
/// named in a RunError of the rank that waits for it. One object in a process, used by one thread.
class MpiSession {
 public:
  /// Starts MPI. Waits for ever until set_watchdog(). @throws RunError with MPI's reason.
  MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  /// Finalizes MPI: every rank must get here. A rank that failed calls abort() instead.
  ~MpiSession();

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Number of this rank among those on its node, from 0.
  [[nodiscard]] std::uint32_t node_rank() const noexcept { return node_rank_; }

  /// Longest wait for another rank from now on, 0: for ever; and what is called again and again
  /// meanwhile.
  void set_watchdog(double seconds, std::function<void()> while_waiting) {
    watchdog_seconds_ = seconds;
    while_waiting_ = std::move(while_waiting);
  }

  /// Longest silence of another rank from now on, 0: for ever, after it may have been at work.
  /// Rank 0, which knows who is silent, loses patience before the others do with it; all after a
  /// rank that watches itself.
  void set_patience(double silence_seconds,
                    double busy_seconds,
                    std::function<void()> while_waiting) {
    const double longest = 1.25 * (silence_seconds + busy_seconds) + 1.0;
    set_watchdog(silence_seconds > 0.0 ? longest * (rank_ == 0 ? 1.0 : 1.25) : 0.0,
                 std::move(while_waiting));
  }

  /// How long a rank that waits sleeps between two looks: short for quick answers, long where
  /// others measure and want the cores for themselves.
  void set_nap(std::chrono::microseconds nap) noexcept { nap_ = nap; }

  // Each of these throws RunError: MPI failed, or `what` (for the message) waited too long.

  /// Every rank's bytes, by rank, on every rank.
  [[nodiscard]] std::vector<std::string> all_gather(const std::string& mine, const char* what);
  /// The same among some ranks, by their place in `ranks`; all of them call it.
  [[nodiscard]] std::vector<std::string> all_gather_among(std::span<const int> ranks,
                                                          const std::string& mine,
                                                          const char* what);
  /// Rank 0's bytes on every rank.
  void broadcast(std::string& bytes, const char* what);
  /// Rank 0's values on every rank; sizes are equal everywhere.
  void broadcast(std::span<float> values, const char* what);
  void send(std::span<const float> values, int to, const char* what);
  void receive(std::span<float> values, int from, const char* what);

  /// Ends every rank of the job within seconds; mpirun returns `code`.
  [[noreturn]] void abort(int code);

 private:
  /// Polls until `done()`, which checks what has arrived.
  void wait(const std::function<bool()>& done,
            const std::function<std::string()>& silent,
            const char* what) const;

  /// The bytes that each of `ranks` sends to this one.
  [[nodiscard]] std::vector<std::string> collect(std::span<const int> ranks,
                                                 int tag,
                                                 const char* what);
  void send_bytes(const std::string& bytes, int to, int tag, const char* what);

  int rank_ = 0;
  int size_ = 1;
  std::uint32_t node_rank_ = 0;
  double watchdog_seconds_ = 0.0;
  std::chrono::microseconds nap_{20};
  std::function<void()> while_waiting_ = [] {};
};

}  // namespace berth::launcher
