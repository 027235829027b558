// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/execution_model.hpp"

#include "packed_problem.hpp"
#include "time_key.hpp"

namespace berth::internal {

/// The ops that wait for each device, and which of them it takes next. All devices share one
/// array, cut by the number of ops each one has in the placement.
class WaitingOps {
 public:
  explicit WaitingOps(const PackedProblem& packed);

  /// `discipline` is not kAuto; `order` may be empty: every value is 0.
  /// Cost O(ops + devices), with a static order O(ops log ops).
  void reset(const std::vector<OpState>& state,
             std::span<const double> order,
             Discipline discipline);

  /// `op` has its inputs. Earlier `rank` goes first under fifo, lower id among equals.
  void add(std::uint32_t op, std::uint32_t device, double rank) noexcept;

  /// Takes the op that `device` prefers into `op`; false if none may start.
  bool take(std::uint32_t device, std::uint32_t& op) noexcept;

  /// Of a static order: the op whose turn it is on `device`; num_ops at the end.
  [[nodiscard]] std::uint32_t next_in_order(std::uint32_t device) const noexcept;
  /// Of a static order: `op` was taken.
  [[nodiscard]] bool is_taken(std::uint32_t op) const noexcept { return taken_[op] != 0; }

 private:
  struct Key {
    std::uint64_t order;
    TimeKey rank_and_op;

    bool operator<(const Key& other) const noexcept {
      return order != other.order ? order < other.order : rank_and_op < other.rank_and_op;
    }
  };

  Discipline discipline_ = Discipline::kFifo;
  std::span<const double> order_;
  std::vector<std::size_t> begin_;       ///< [devices + 1] cuts.
  std::vector<std::size_t> filled_;      ///< [devices] heap sizes, or positions in the sequence.
  std::vector<Key> waiting_;             ///< [ops] a heap for each device.
  std::vector<std::uint32_t> sequence_;  ///< [ops] static order of each device.
  std::vector<char> ready_;              ///< [ops] of a static order.
  std::vector<char> taken_;              ///< The same.
};

}  // namespace berth::internal
