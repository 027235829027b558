// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "berth/graph.hpp"

#include "device_timeline.hpp"

namespace berth::doppler {

/// The candidates by when their inputs can first be on some device, by the policy's own timeline:
/// about the order in which a system that serves ready ops first in, first out starts them. Ties
/// by id.
class ArrivalQueue {
 public:
  explicit ArrivalQueue(const Graph& graph);

  /// Takes the next op out. @pre an op is left.
  std::uint32_t take();
  /// To be told after timeline.assign(): successors that become legal follow. Cost O(sum over these
  /// of in-degree * devices).
  void assigned(const DeviceTimeline& timeline);

 private:
  void insert(double arrival, std::uint32_t op);

  const Graph* graph_;
  std::vector<std::uint32_t> missing_;                  ///< [ops] unassigned predecessors
  std::vector<std::pair<double, std::uint32_t>> heap_;  ///< least on top
};

}  // namespace berth::doppler
