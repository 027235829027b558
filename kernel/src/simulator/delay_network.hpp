// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <limits>

#include "run_state.hpp"

namespace berth::internal {

/// Transfers as pure delays from the end of their producers; nothing is shared, nothing waits.
class DelayNetwork {
 public:
  static constexpr bool kCopiesOnDevices = false;

  explicit DelayNetwork(const PackedProblem&) {}

  [[nodiscard]] static std::size_t max_flows(const PackedProblem&) noexcept { return 0; }
  void reset() noexcept {}

  void send(RunState& run, std::size_t producer, double now) {
    const PackedProblem& packed = *run.packed;
    const std::uint32_t from = run.op[producer].device;
    const std::uint64_t end = packed.ops[producer + 1].out_begin;
    for (std::uint64_t e = packed.ops[producer].out_begin; e < end; ++e) {
      const PackedEdge& edge = packed.edges[e];
      const std::uint32_t to = run.op[edge.target].device;
      const double arrival = now + packed.transfer(edge, from, to);
      if (to != from) {
        run.record_transfer(producer, edge.target, now, now, arrival);
      }
      run.arrive(edge.target, arrival);
    }
  }
  void join(RunState&, std::size_t, double) noexcept {}
  [[nodiscard]] double next_time() const noexcept {
    return std::numeric_limits<double>::infinity();
  }
  void advance(RunState&, double) noexcept {}
};

}  // namespace berth::internal
