// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "outgoing_transfers.hpp"
#include "run_state.hpp"

namespace berth::internal {

/// `fair`: a transfer first waits out its route's latency, then flows; concurrent flows share the
/// bandwidth of every link max-min fairly (progressive filling; Bertsekas and Gallager, Data
/// Networks, 1992, section 6.5.2). One transfer for each (producer, destination device).
///
/// Flows between the same two devices always flow at one rate, so each pair keeps one account of
/// the service that every flow on it had since the pair was last idle; a flow ends when the
/// account passes the level at which it joined plus its size. A change of the set of flows
/// recomputes one rate a pair, not a flow: O(active pairs) for pairs that share no link with
/// others, O(active pairs * route * bottlenecks) for those that do. A flow alone on its route takes
/// exactly latency + size * inverse_speed where both are exact.
class FairSharing {
 public:
  static constexpr bool kCopiesOnDevices = false;

  explicit FairSharing(const PackedProblem& packed);

  /// One flow for each producer and destination device at most.
  [[nodiscard]] static std::size_t max_flows(const PackedProblem& packed) noexcept;
  void reset() noexcept;

  /// `producer` ended: local consumers have their input, the others' flows begin.
  void send(RunState& run, std::size_t producer, double now);
  /// `flow` is past its latency.
  void join(RunState& run, std::size_t flow, double now);
  /// When the next flow ends at the present rates.
  [[nodiscard]] double next_time() const noexcept { return next_time_; }
  /// Ends the flows that are due and shares the links anew if anything changed.
  void advance(RunState& run, double now);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// A node of its pair's skew heap (Sleator and Tarjan, 1986), least level on top.
  struct Flow {
    std::uint32_t producer;
    std::uint32_t to;
    std::uint32_t consumer;
    std::uint32_t left;
    std::uint32_t right;
    double size;
    double level;
    double request;
    double start;
  };
  struct Pair {
    double limit = 0.0;   ///< Rate of a flow that shares with none.
    double own = 0.0;     ///< Least capacity of a route that no other pair uses, else 0.
    double rate = 0.0;    ///< Of each flow now.
    double served = 0.0;  ///< Account at `since`.
    double since = 0.0;
    double due = 0.0;  ///< When the top flow ends at this rate.
    std::uint32_t top = kNone;
    std::uint32_t flows = 0;
    bool fixed = false;  ///< Scratch of share().
  };
  struct Link {
    double capacity = 0.0;
    double left = 0.0;        ///< Scratch of share().
    std::uint32_t flows = 0;  ///< The same: flows whose rate is not fixed yet.
  };

  [[nodiscard]] bool ends_before(std::uint32_t a, std::uint32_t b) const noexcept;
  std::uint32_t meld(std::uint32_t a, std::uint32_t b) noexcept;
  void finish(RunState& run, const Flow& flow, double now);
  void share(double now);
  void set_rate(Pair& pair, double rate, double now);

  std::size_t devices_;
  std::vector<Pair> pairs_;                 ///< [devices * devices]
  std::vector<std::uint32_t> active_;       ///< Pairs with flows, ascending.
  std::vector<Link> links_;                 ///< Of the topology.
  std::vector<std::uint32_t> route_begin_;  ///< [devices * devices + 1] rows of route_.
  std::vector<std::uint32_t> route_;        ///< Links.
  std::vector<Flow> flows_;                 ///< In order of request; never shrinks in a run.
  std::vector<std::uint32_t> meeting_;      ///< Scratch of share(): pairs that share links.
  std::vector<std::uint32_t> bound_;        ///< Scratch of share().
  std::vector<std::uint32_t> path_;         ///< Scratch of meld().
  OutgoingTransfers outgoing_;
  bool changed_ = false;
  double next_time_ = std::numeric_limits<double>::infinity();
};

}  // namespace berth::internal
