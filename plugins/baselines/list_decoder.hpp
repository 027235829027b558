// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "berth/problem.hpp"

namespace berth::baselines {

/// Turns a list of ops into a schedule in the `delay` model: each op in turn
/// goes to the device where it finishes first, after the ops that are there
/// already; ties to the device that idles least, then the lowest. Without
/// transfer costs and on identical devices some list gives an optimal schedule.
class ListDecoder {
 public:
  /// The problem must outlive the decoder.
  explicit ListDecoder(const PlacementProblem& problem);

  /// Makespan of `list`, all ops in a topological order; +infinity as soon as
  /// it is sure to exceed `limit`, or if memory runs out. Allocates nothing.
  /// Cost O((edges + ops) * devices).
  [[nodiscard]] double makespan(std::span<const OpId> list, double limit);

  /// Devices of the list decoded last. @pre its makespan was finite.
  [[nodiscard]] const std::vector<DeviceId>& devices() const noexcept { return device_; }

 private:
  const PlacementProblem* problem_;
  std::vector<double> tail_;    ///< [ops] least time from an op's end to the graph's end
  std::vector<double> finish_;  ///< [ops]
  std::vector<double> idle_;    ///< [devices]
  std::vector<double> room_;    ///< [devices] bytes left
  std::vector<double> start_;   ///< [devices] of the op at hand
  std::vector<DeviceId> device_;
};

}  // namespace berth::baselines
