// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/problem.hpp"

namespace berth::baselines {

/// Start and finish times of static orders in the `delay` model without an event list: every op
/// starts when its device has finished the ops before it and its data are there. Keeps the
/// times of one accepted schedule, so that a changed one is decoded from its first change on.
class DelayDecoder {
 public:
  /// True if a static order runs as this class decodes it.
  [[nodiscard]] static bool applies(const PlacementProblem& problem) noexcept;

  /// The problem must outlive the decoder.
  explicit DelayDecoder(const PlacementProblem& problem);

  /// Makespan of `sequence`, all ops in a topological order, on `device`; what comes before
  /// position `from` must be as last accepted. +infinity as soon as the makespan is sure to exceed
  /// `limit`. Allocates nothing.
  [[nodiscard]] double makespan(std::span<const OpId> sequence,
                                std::span<const DeviceId> device,
                                std::size_t from,
                                double limit);

  /// Keeps the times of this schedule. @return its makespan.
  double accept(std::span<const OpId> sequence, std::span<const DeviceId> device, std::size_t from);

  [[nodiscard]] double finish(OpId op) const noexcept { return finish_[index(op)]; }
  [[nodiscard]] double start(OpId op) const noexcept { return start_[index(op)]; }
  [[nodiscard]] std::span<const double> finish() const noexcept { return finish_; }
  [[nodiscard]] std::span<const double> start() const noexcept { return start_; }

  /// Fills `path` with ops that together determine the accepted makespan, last op first: each
  /// starts the moment its cause, a predecessor or the op before it on its device, lets it.
  void critical_ops(std::span<const DeviceId> device, std::vector<OpId>& path) const;

 private:
  struct InEdge {
    std::uint32_t source;
    double size;
  };

  /// Start of `op` given the idle times of the devices and the finish times of its predecessors.
  [[nodiscard]] double start_time(std::size_t op,
                                  std::span<const DeviceId> device,
                                  const double* idle,
                                  const std::vector<double>& finish) const noexcept;
  /// Makes trial_ equal finish_ again for these ops.
  void restore(std::span<const OpId> ops) noexcept;

  const PlacementProblem* problem_;
  std::vector<InEdge> in_;
  std::vector<std::size_t> in_offset_;  ///< [ops + 1]
  std::vector<double> tail_;            ///< [ops] least time from an op's end to the graph's end
  std::vector<double> compute_;         ///< [ops * devices]
  std::vector<double> idle_;        ///< [(ops + 1) * devices] when devices fall idle, by position
  std::vector<double> trial_idle_;  ///< [devices]
  std::vector<double> start_;       ///< [ops] accepted
  std::vector<double> finish_;      ///< [ops] accepted
  std::vector<double> trial_;       ///< [ops] finish times of the schedule being decoded
  std::vector<OpId> last_;          ///< [devices] scratch of accept()
  std::vector<OpId> before_;        ///< [ops] op before it on its device, or itself
  std::vector<double> latest_;      ///< [ops + 1] largest accepted finish before a position
};

}  // namespace berth::baselines
