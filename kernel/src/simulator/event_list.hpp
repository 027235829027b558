// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <vector>

#include "general_engine.hpp"
#include "run_state.hpp"
#include "waiting_ops.hpp"

namespace berth::internal {

/// The general engine: any discipline, any number of streams, ops that take no time.
///
/// Each instant alternates two steps until neither does anything: all completions and arrivals of
/// the instant, finishes first, by id; then every device with an idle stream starts the waiting
/// ops it prefers. Network is DelayNetwork, LinkReservations, FairSharing or PullNetwork.
///
/// Operations of one run, besides the network's: two events an op on one heap, one push and pop
/// an op on its device's heap. Allocates nothing without a trace.
template <class Network>
class EventList final : public GeneralEngine {
 public:
  explicit EventList(const PackedProblem& packed);

  [[nodiscard]] double run(std::span<const DeviceId> device,
                           std::span<const double> order,
                           Discipline discipline,
                           Trace* trace) override;
  [[nodiscard]] double finish_sum() const noexcept override { return finish_sum_; }
  [[nodiscard]] std::string explain_deadlock() const override;

 private:
  void touch(std::uint32_t device);
  void handle_events(double now);
  void start_ops(double now);

  const PackedProblem* packed_;
  Network network_;
  RunState run_;
  WaitingOps waiting_;
  std::vector<std::uint32_t> idle_;     ///< [devices] streams.
  std::vector<std::uint32_t> touched_;  ///< Devices that may start something now.
  std::vector<char> is_touched_;
  std::size_t done_ = 0;
  double finish_sum_ = 0.0;
};

}  // namespace berth::internal
