// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "berth/problem.hpp"

namespace berth::internal {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One op of the packed graph. Its edges end where those of the next op begin.
struct PackedOp {
  double compute;           ///< On the first class of devices, noise included.
  std::uint64_t out_begin;  ///< First outgoing edge.
};

struct PackedEdge {
  double size;           ///< Times the noise factor.
  std::uint32_t target;  ///< Op.
  float scale;           ///< Noise factor, for the latency.
};

/// What changes for an op during one run.
struct OpState {
  double ready;  ///< Latest arrival so far.
  std::uint32_t pending;
  std::uint32_t device;
};

/// A placement problem as the engines read it: one record per op and per edge, noise applied.
/// Made once per simulator; `problem` must outlive it. Cost of making O(ops * classes + edges).
struct PackedProblem {
  /// @throws InputError if an execution option is out of range or times overflow.
  explicit PackedProblem(const PlacementProblem& problem);

  const PlacementProblem* problem;
  std::size_t num_ops;
  std::size_t num_devices;
  std::size_t num_classes;
  std::vector<PackedOp> ops;  ///< [ops + 1], the last closes the edges.
  std::vector<PackedEdge> edges;
  std::vector<double> class_compute;        ///< [ops * classes], noise included.
  std::vector<std::uint32_t> device_class;  ///< [devices]
  std::vector<OpState> initial;             ///< [ops] ready 0, pending = predecessors.
  std::vector<std::uint32_t> sources;       ///< Ops without predecessors, by id.
  std::vector<double> latency;              ///< [devices * devices], 0 on the diagonal.
  std::vector<double> inverse_speed;        ///< The same.
  mutable std::vector<double> resident;     ///< [devices], scratch of is_legal().
  std::size_t width = 0;                    ///< Most ops at one depth (edges from a source).
  bool plain_links = false;  ///< Every transfer between devices costs exactly its edge's size.
  bool restricted = false;   ///< Eligibility or memory can make a placement illegal.
  /// Every finish is later than its start, whatever the placement: no time 0 op, and none that
  /// rounding swallows.
  bool time_passes = false;

  [[nodiscard]] double compute(std::size_t op, std::uint32_t device) const noexcept {
    return class_compute[op * num_classes + device_class[device]];
  }
  /// 0 on one device.
  [[nodiscard]] double transfer(const PackedEdge& edge,
                                std::uint32_t from,
                                std::uint32_t to) const noexcept {
    const std::size_t pair = from * num_devices + to;
    return static_cast<double>(edge.scale) * latency[pair] + edge.size * inverse_speed[pair];
  }
  /// False if an op is where it cannot run or a device's memory overflows.
  [[nodiscard]] bool is_legal(std::span<const DeviceId> device) const noexcept;
};

}  // namespace berth::internal
