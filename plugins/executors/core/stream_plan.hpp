// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device_driver.hpp"
#include "execution_plan.hpp"

namespace berth::executors {

/// Streams of every device.
struct StreamSpec {
  std::uint32_t compute = 1;  ///< >= 1
  std::uint32_t copy = 2;     ///< >= 1; of the destination.

  [[nodiscard]] std::uint32_t all() const noexcept { return compute + copy; }
};

/// The producers of every task: the rows of ExecutionPlan::out turned around.
struct Producers {
  explicit Producers(const ExecutionPlan& plan);
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t task) const noexcept {
    return std::span(rows).subspan(begin[task], begin[task + 1] - begin[task]);
  }
  std::vector<std::uint32_t> begin;  ///< [tasks + 1]
  std::vector<std::uint32_t> rows;   ///< Ascending within a row.
};

/// A whole run, put on streams ahead of time: what is issued in which order, on which stream,
/// after which events. No host stands between a task and the next.
struct StreamPlan {
  struct Step {
    std::uint32_t task = 0;
    StreamId stream;
    std::uint32_t first_wait = 0;  ///< In `waits`.
    std::uint32_t num_waits = 0;
  };
  std::vector<Step> steps;           ///< [tasks]
  std::vector<std::uint32_t> waits;  ///< Tasks whose events a step's stream waits for.
  std::vector<char> is_waited;       ///< [tasks] some stream waits for its event.

  [[nodiscard]] std::span<const std::uint32_t> waits_of(const Step& step) const noexcept {
    return std::span(waits).subspan(step.first_wait, step.num_waits);
  }
};

/// Plays the plan with the stated durations, work-conserving in its discipline, one task at a time
/// on a stream, and keeps the order in which tasks start and their streams. An op takes the stream
/// of a producer if that is free, else the lowest free one; a transfer the copy stream of its
/// source, modulo their number. A step waits for the events of producers on other streams, but not
/// for those that its stream is already ordered after.
///
/// @param seconds [tasks] expected durations, >= 0.
/// Cost O(tasks * (log tasks + streams)).
[[nodiscard]] StreamPlan plan_streams(const ExecutionPlan& plan,
                                      const Producers& producers,
                                      std::span<const double> seconds,
                                      const StreamSpec& spec);

}  // namespace berth::executors
