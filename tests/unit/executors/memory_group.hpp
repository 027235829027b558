// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "berth/error.hpp"
#include "berth/rank_executor.hpp"

namespace berth::testing {

/// Threads of a test that are the ranks of a group.
class MemoryGroup {
 public:
  explicit MemoryGroup(std::uint32_t size, double silence_seconds = 30.0)
      : silence_seconds_(silence_seconds), parts_(size), has_come_(size, 0), failures_(size) {}

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(parts_.size());
  }
  [[nodiscard]] double silence_seconds() const noexcept { return silence_seconds_; }

  std::vector<std::string> all_gather(std::uint32_t rank,
                                      const std::string& mine,
                                      const std::string& what,
                                      double busy_seconds) {
    std::unique_lock held(lock_);
    what_ = arrived_ == 0 ? what : what_;
    if (what != what_) {
      throw std::logic_error("rank " + std::to_string(rank) + " is at '" + what +
                             "', others are at '" + what_ + "'");
    }
    throw_failure();
    parts_[rank] = mine;
    has_come_[rank] = 1;
    const std::size_t round = round_;
    if (++arrived_ == size()) {
      answers_ = parts_;
      arrived_ = 0;
      has_come_.assign(size(), 0);
      ++round_;
      changed_.notify_all();
      return answers_;
    }
    const std::chrono::duration<double> patience(silence_seconds_ + busy_seconds);
    const bool answered =
        changed_.wait_for(held, patience, [&] { return round_ != round || has_failure(); });
    if (round_ == round) {
      throw_failure();
    }
    if (!answered) {
      std::string silent;
      for (std::size_t other = 0; other < size(); ++other) {
        silent += has_come_[other] == 0 ? " " + std::to_string(other) : "";
      }
      throw RunError("silent: rank" + silent + " (" + what + ")");
    }
    return answers_;  // the next round ends only when this rank has come again
  }

  /// Tells the others why `rank` comes no more.
  void fail(std::uint32_t rank, const std::string& reason) {
    const std::lock_guard held(lock_);
    failures_[rank] = reason;
    changed_.notify_all();
  }

 private:
  [[nodiscard]] bool has_failure() const {
    for (const std::string& failure : failures_) {
      if (!failure.empty()) {
        return true;
      }
    }
    return false;
  }
  void throw_failure() const {
    for (std::size_t rank = 0; rank < failures_.size(); ++rank) {
      if (!failures_[rank].empty()) {
        throw RunError("rank " + std::to_string(rank) + ": " + failures_[rank]);
      }
    }
  }

  double silence_seconds_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::vector<std::string> parts_;
  std::vector<std::string> answers_;
  std::vector<char> has_come_;
  std::vector<std::string> failures_;
  std::string what_;
  std::size_t arrived_ = 0;
  std::size_t round_ = 0;
};

/// One rank's view of it.
class MemoryPeer final : public PeerGroup {
 public:
  MemoryPeer(MemoryGroup& group, std::uint32_t rank) : group_(group), rank_(rank) {}

  std::uint32_t rank() const noexcept override { return rank_; }
  std::uint32_t size() const noexcept override { return group_.size(); }
  std::uint32_t node_rank() const noexcept override { return rank_; }
  double silence_seconds() const noexcept override { return group_.silence_seconds(); }
  std::vector<std::string> all_gather(const std::string& mine,
                                      const char* what,
                                      double busy_seconds) override {
    return group_.all_gather(rank_, mine, what, busy_seconds);
  }

 private:
  MemoryGroup& group_;
  std::uint32_t rank_;
};

/// What a rank throws that dies without a word.
struct Vanished {};

/// Runs work(rank, peer) on a thread a rank. @return each rank's error; empty if it had none. A
/// rank that fails tells the others.
template <class Work>
std::vector<std::string> run_ranks(MemoryGroup& group, const Work& work) {
  std::vector<std::string> errors(group.size());
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    threads.emplace_back([&, rank] {
      MemoryPeer peer(group, rank);
      try {
        work(rank, peer);
      } catch (const Vanished&) {
        errors[rank] = "vanished";
      } catch (const std::exception& error) {
        errors[rank] = error.what();
        group.fail(rank, error.what());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return errors;
}

}  // namespace berth::testing
