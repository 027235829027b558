// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problem_view.hpp"

namespace berth::doppler {

/// The policy's own estimate of the schedule while ops are assigned one by one: each device takes
/// its ops in the order of assignment. Allocates nothing after construction.
class DeviceTimeline {
 public:
  DeviceTimeline(const ProblemView& view, TimelineRule rule, TimelineType type);

  void reset();
  /// Looks at op `v`, all of whose predecessors are assigned: fills earliest_start(), legal() and
  /// what the features read. O(in-degree * devices).
  void look_at(std::uint32_t v);
  /// When the inputs of `v`, all of whose predecessors are assigned, can first be on a device that
  /// can run it. O(in-degree * devices).
  [[nodiscard]] double least_arrival(std::uint32_t v) const;
  /// Assigns the op looked at.
  void assign(std::uint32_t device);

  /// [devices] EST(v,d) = max(avail(d), arrival of the last input on d).
  [[nodiscard]] std::span<const double> earliest_start() const noexcept { return est_; }
  /// [devices] EST(v,d) plus the op's time on d; +infinity where it cannot run.
  [[nodiscard]] std::span<const double> earliest_finish() const noexcept { return eft_; }
  /// [devices] 1 where the op may go: it can run there, its memory fits, and with merge_empty the
  /// device is the first of its empty exchangeable ones.
  [[nodiscard]] std::span<const std::uint8_t> legal() const noexcept { return legal_; }
  /// @throws SolverError naming the op, its memory and the most that is left, if no device is
  /// legal.
  void expect_room() const;

  [[nodiscard]] std::uint32_t op() const noexcept { return op_; }
  [[nodiscard]] std::uint32_t assigned() const noexcept { return assigned_; }
  [[nodiscard]] std::uint32_t device_of(std::uint32_t v) const noexcept { return device_[v]; }
  [[nodiscard]] double start_of(std::uint32_t v) const noexcept { return start_[v]; }
  [[nodiscard]] double end_of(std::uint32_t v) const noexcept { return end_[v]; }
  [[nodiscard]] double load(std::size_t d) const noexcept { return load_[d]; }
  [[nodiscard]] double available(std::size_t d) const noexcept { return available_[d]; }
  [[nodiscard]] std::uint32_t count(std::size_t d) const noexcept { return count_[d]; }
  [[nodiscard]] double resident(std::size_t d) const noexcept { return resident_[d]; }
  [[nodiscard]] const ProblemView& view() const noexcept { return *view_; }

  /// Treat empty exchangeable devices as one.
  void merge_empty(bool merge) noexcept { merge_empty_ = merge; }

 private:
  void fill_legal();
  [[nodiscard]] double rounded(double value) const noexcept {
    return type_ == TimelineType::kFloat32 ? static_cast<double>(static_cast<float>(value)) : value;
  }

  const ProblemView* view_;
  TimelineRule rule_;
  TimelineType type_;
  bool merge_empty_ = false;
  std::uint32_t op_ = 0;
  std::uint32_t assigned_ = 0;
  std::vector<std::uint32_t> device_;                ///< [ops]
  std::vector<double> start_, end_;                  ///< [ops]
  std::vector<double> load_, available_, resident_;  ///< [devices]
  std::vector<double> est_, eft_;                    ///< [devices]
  std::vector<std::uint32_t> count_;                 ///< [devices]
  std::vector<std::uint8_t> legal_;                  ///< [devices]
};

}  // namespace berth::doppler
