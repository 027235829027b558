// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/problem.hpp"
#include "berth/rng.hpp"

namespace berth::baselines {

/// Devices of all ops, changed by small random moves that can be taken back. Never leaves a device
/// that cannot run its op or overflows its memory.
class DeviceMoves {
 public:
  struct Change {
    OpId op;
    DeviceId from;
  };

  /// The problem must outlive the object. @pre devices are legal.
  DeviceMoves(const PlacementProblem& problem, std::span<const DeviceId> devices);

  [[nodiscard]] const std::vector<DeviceId>& devices() const noexcept { return device_; }

  /// Makes one random move of `op`: to another device, to a neighbour's device, with its
  /// neighbours on the same device, or an exchange with another op. False if nothing changed.
  bool change(OpId op, Rng& rng);
  /// The same of a random op.
  bool change(Rng& rng) { return !movable_.empty() && change(random_op(rng), rng); }
  /// Moves one op. False, and no change, if the device cannot take it.
  bool move(OpId op, DeviceId to);
  /// Moves `op` and, on one side of it, the neighbours that share its device.
  bool move_cluster(OpId op, DeviceId to, Rng& rng);
  /// Exchanges the devices of two ops. @post On false something may have moved: undo().
  bool exchange(OpId a, OpId b);
  /// A random predecessor or successor of `op`, or itself if it has none.
  [[nodiscard]] OpId random_neighbour(OpId op, Rng& rng) const;

  /// What changed since the last keep().
  [[nodiscard]] std::span<const Change> changes() const noexcept { return changes_; }
  /// Takes back everything since the last keep().
  void undo();
  void keep() noexcept { changes_.clear(); }
  /// Starts over from other devices.
  void reset(std::span<const DeviceId> devices);

  /// Ops that have a choice.
  [[nodiscard]] std::span<const OpId> movable() const noexcept { return movable_; }
  /// Devices that can run `op`.
  [[nodiscard]] std::span<const DeviceId> choices(OpId op) const noexcept {
    return std::span(choices_).subspan(choice_offset_[index(op)],
                                       choice_offset_[index(op) + 1] - choice_offset_[index(op)]);
  }

 private:
  [[nodiscard]] OpId random_op(Rng& rng) const;

  const PlacementProblem* problem_;
  std::vector<DeviceId> device_;
  std::vector<double> room_;  ///< [devices] bytes left
  std::vector<Change> changes_;
  std::vector<DeviceId> choices_;
  std::vector<std::size_t> choice_offset_;  ///< [ops + 1]
  std::vector<OpId> movable_;               ///< Ops with more than one choice.
};

}  // namespace berth::baselines
