// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "outgoing_transfers.hpp"
#include "run_state.hpp"

namespace berth::internal {

/// `pull`: the destination copies, on a stream of its own, before it starts a waiting op. Requests
/// of one device are served in the order of (end of the producer, producer id).
class PullNetwork {
 public:
  static constexpr bool kCopiesOnDevices = true;

  explicit PullNetwork(const PackedProblem& packed);

  [[nodiscard]] static std::size_t max_flows(const PackedProblem& packed) noexcept;
  void reset() noexcept;

  /// `producer` ended: local consumers have their input, copies are requested for the others.
  void send(RunState& run, std::size_t producer, double now);
  /// The copies that the last send() requested.
  [[nodiscard]] const std::vector<OutgoingTransfers::Transfer>& requested() const noexcept {
    return *requested_;
  }

  /// Starts the next copy to `device`; false if none waits.
  bool start_copy(RunState& run, std::uint32_t device, double now);
  [[nodiscard]] std::uint32_t device_of(std::size_t copy) const noexcept {
    return copies_[copy].to;
  }
  /// `copy` is done: its consumers have their input.
  void join(RunState& run, std::size_t copy, double now);

  [[nodiscard]] double next_time() const noexcept {
    return std::numeric_limits<double>::infinity();
  }
  void advance(RunState&, double) noexcept {}

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Copy {
    std::uint32_t producer;
    std::uint32_t to;
    std::uint32_t consumer;
    std::uint32_t next;  ///< Of the same device, or kNone.
    double duration;
    double request;
  };
  struct Queue {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  std::vector<Copy> copies_;   ///< In order of request; never shrinks in a run.
  std::vector<Queue> queues_;  ///< [devices]
  OutgoingTransfers outgoing_;
  const std::vector<OutgoingTransfers::Transfer>* requested_;
};

}  // namespace berth::internal
