// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "outgoing_transfers.hpp"
#include "run_state.hpp"

namespace berth::internal {

/// `links`: every link and every copy engine (one out of and one into each device) serves one
/// transfer at a time in the order of requests. A transfer holds all of its route for its whole
/// duration and starts when every resource on it is past all earlier requests.
///
/// First come first served on each resource makes the start known at the request: the largest of
/// the request time and the resources' reserved-until times. A link that only one pair of devices
/// uses is held exactly when both copy engines are, so it needs no entry of its own; on a full
/// mesh a reservation touches two numbers.
class LinkReservations {
 public:
  static constexpr bool kCopiesOnDevices = false;

  explicit LinkReservations(const PackedProblem& packed);

  [[nodiscard]] static std::size_t max_flows(const PackedProblem&) noexcept { return 0; }
  void reset() noexcept { std::fill(until_.begin(), until_.end(), 0.0); }

  /// Reserves the route for `duration` from the earliest possible start; returns that start.
  double reserve(std::uint32_t from, std::uint32_t to, double now, double duration) noexcept {
    double& out = until_[from];
    double& in = until_[devices_ + to];
    double start = std::max(now, std::max(out, in));
    const std::size_t pair = from * devices_ + to;
    const std::uint32_t first = shared_begin_[pair];
    const std::uint32_t last = shared_begin_[pair + 1];
    for (std::uint32_t i = first; i < last; ++i) {
      start = std::max(start, until_[shared_[i]]);
    }
    const double finish = start + duration;
    out = finish;
    in = finish;
    for (std::uint32_t i = first; i < last; ++i) {
      until_[shared_[i]] = finish;
    }
    return start;
  }

  /// Calls deliver(target, arrival) for every consumer of `producer`, which ends `now`, and
  /// record(transfer, start) for every transfer. Requests must come by (time, producer).
  template <class Deliver, class Record>
  void route_outputs(const PackedProblem& packed,
                     const OpState* state,
                     std::size_t producer,
                     double now,
                     const Deliver& deliver,
                     const Record& record) {
    const std::uint32_t from = state[producer].device;
    for (const auto& transfer : outgoing_.gather(packed, state, producer)) {
      const double start = reserve(from, transfer.to, now, transfer.duration);
      arrival_[transfer.to] = start + transfer.duration;
      record(transfer, start);
    }
    arrival_[from] = now;
    const std::uint64_t end = packed.ops[producer + 1].out_begin;
    for (std::uint64_t e = packed.ops[producer].out_begin; e < end; ++e) {
      const std::uint32_t target = packed.edges[e].target;
      deliver(target, arrival_[state[target].device]);
    }
  }

  void send(RunState& run, std::size_t producer, double now) {
    route_outputs(
        *run.packed,
        run.op.data(),
        producer,
        now,
        [&run](std::uint32_t target, double time) { run.arrive(target, time); },
        [&](const OutgoingTransfers::Transfer& transfer, double start) {
          run.record_transfer(producer, transfer.consumer, now, start, start + transfer.duration);
        });
  }
  void join(RunState&, std::size_t, double) noexcept {}
  [[nodiscard]] double next_time() const noexcept {
    return std::numeric_limits<double>::infinity();
  }
  void advance(RunState&, double) noexcept {}

 private:
  std::size_t devices_;
  std::vector<double> until_;  ///< Copy engines out [devices], in [devices], then shared links.
  std::vector<std::uint32_t> shared_begin_;  ///< [devices * devices + 1] rows of shared_.
  std::vector<std::uint32_t> shared_;        ///< Positions in until_ of a pair's shared links.
  std::vector<double> arrival_;              ///< [devices] scratch.
  OutgoingTransfers outgoing_;
};

}  // namespace berth::internal
