// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "device_moves.hpp"

namespace berth::baselines {

/// Devices of all ops and one topological sequence of them, whose restriction to a device is the
/// order in which that device runs its ops; changed by small random moves that can be taken back.
class OrderMoves {
 public:
  /// The problem must outlive the object. @pre `placement` is legal and has an order that does not
  /// deadlock.
  OrderMoves(const PlacementProblem& problem, const Placement& placement);

  [[nodiscard]] std::span<const OpId> sequence() const noexcept { return sequence_; }
  [[nodiscard]] std::span<const DeviceId> devices() const noexcept { return devices_.devices(); }
  /// Position in the sequence of each op: order values of a placement.
  [[nodiscard]] const std::vector<double>& order() const noexcept { return position_; }
  [[nodiscard]] Placement placement() const { return {devices_.devices(), position_}; }

  /// One random move: `op` to another slot among the ops of its device or of another one, or its
  /// device exchanged with another op's. False if nothing changed.
  bool change(OpId op, Rng& rng);
  /// First position of the sequence that the changes since the last keep() touch.
  [[nodiscard]] std::size_t first_change() const noexcept { return first_change_; }
  void undo();
  void keep();

  /// Starts over. @pre as the constructor.
  void reset(const Placement& placement);
  /// Sorts the sequence by these start and finish times, so that neighbours in it are neighbours
  /// in time.
  void sort_by_time(std::span<const double> start, std::span<const double> finish);

 private:
  struct Shift {
    std::size_t from;
    std::size_t to;
  };

  /// Positions that `op` may take without passing a predecessor or a successor.
  struct Window {
    std::size_t low;
    std::size_t high;
  };
  [[nodiscard]] Window window(OpId op) const noexcept;
  [[nodiscard]] std::size_t position(OpId op) const noexcept {
    return static_cast<std::size_t>(position_[index(op)]);
  }
  void shift(std::size_t from, std::size_t to);
  bool reinsert(OpId op, DeviceId device, Rng& rng);

  const PlacementProblem* problem_;
  DeviceMoves devices_;
  std::vector<OpId> sequence_;
  std::vector<double> position_;
  std::vector<Shift> shifts_;
  std::vector<std::size_t> slots_;
  std::size_t first_change_ = 0;
};

}  // namespace berth::baselines
