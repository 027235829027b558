// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/trainable_policy.hpp"

namespace berth::launcher {

/// Consecutive numbers begin .. end-1.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] std::uint64_t size() const noexcept { return end - begin; }
  bool operator==(const Range&) const = default;
};

/// Who does what in one update: by number alone, so that any number of ranks does the same work.
/// A group is `group_size` consecutive rollouts of one problem; problems take turns by group.
struct WorkDivision {
  std::uint64_t rollouts = 1;    ///< Per update, >= 1.
  std::uint64_t group_size = 1;  ///< >= 1; the last group of an update may be smaller.
  std::uint32_t problems = 1;    ///< >= 1

  [[nodiscard]] std::uint64_t groups() const noexcept {
    return (rollouts + group_size - 1) / group_size;
  }
  /// Rollouts of a group, counted within the update.
  [[nodiscard]] Range rollouts_of(std::uint64_t group) const noexcept {
    const std::uint64_t end = (group + 1) * group_size;
    return {group * group_size, end < rollouts ? end : rollouts};
  }
  /// Groups of a rank: contiguous, sizes differ by at most one, ranks in order; rank 0 has the
  /// first group, and some ranks may have none.
  [[nodiscard]] Range groups_of(int rank, int ranks) const noexcept {
    const auto r = static_cast<std::uint64_t>(rank);
    const auto n = static_cast<std::uint64_t>(ranks);
    return {(groups() * r + n - 1) / n, (groups() * (r + 1) + n - 1) / n};
  }
  /// The rank that groups_of() gives `group` to.
  [[nodiscard]] int owner_of(std::uint64_t group, int ranks) const noexcept {
    return static_cast<int>(group * static_cast<std::uint64_t>(ranks) / groups());
  }
  [[nodiscard]] std::uint32_t problem_of(std::uint64_t update, std::uint64_t group) const noexcept {
    return static_cast<std::uint32_t>((update * groups() + group) % problems);
  }

  /// What rollout `number` of `update` is: its id counts over the campaign, its seed derives from
  /// (run seed, update, id).
  [[nodiscard]] RolloutSpec spec(std::uint64_t run_seed,
                                 std::uint64_t update,
                                 std::uint64_t number,
                                 Stage stage,
                                 double progress) const noexcept;
};

}  // namespace berth::launcher
