// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/device_executor.hpp"
#include "berth/export.hpp"
#include "berth/problem.hpp"

namespace berth {
inline namespace abi_v1 {

/// The processes (ranks) that run placements together, as one of them sees the others. The host
/// implements it; a plugin needs no MPI. Used by one thread.
class BERTH_API PeerGroup {
 public:
  PeerGroup() = default;
  PeerGroup(const PeerGroup&) = delete;
  PeerGroup& operator=(const PeerGroup&) = delete;
  virtual ~PeerGroup();

  [[nodiscard]] virtual std::uint32_t rank() const noexcept = 0;
  [[nodiscard]] virtual std::uint32_t size() const noexcept = 0;
  /// Number of this rank among all that the job has on this node, of the group or not, from 0.
  [[nodiscard]] virtual std::uint32_t node_rank() const noexcept = 0;
  /// Longest time that another rank may be silent for; 0: for ever.
  [[nodiscard]] virtual double silence_seconds() const noexcept = 0;

  /// Every rank's bytes, by rank, on every rank. All ranks make the same calls in the same order.
  /// What one throws out of its part of the work reaches the others in their next exchange.
  /// @param what the exchange is for, for messages.
  /// @param busy_seconds that the others may be at work before they are silent.
  /// @throws RunError naming a rank that is silent for too long or gone; the error of a rank that
  ///         failed, naming the rank.
  [[nodiscard]] virtual std::vector<std::string> all_gather(const std::string& mine,
                                                            const char* what,
                                                            double busy_seconds) = 0;
};

/// Opens the devices of several ranks as one executor: what a plugin offers under
/// `berth.rank_executor/1`. A plugin may offer it beside ExecutorFactory under the same name.
class BERTH_API RankExecutorFactory {
 public:
  static constexpr std::string_view kInterface = "berth.rank_executor/1";

  RankExecutorFactory() = default;
  RankExecutorFactory(const RankExecutorFactory&) = delete;
  RankExecutorFactory& operator=(const RankExecutorFactory&) = delete;
  virtual ~RankExecutorFactory();

  /// Every rank of the group calls it with the same problem. Each then holds a part of the
  /// problem's devices, and of the executor's functions all but description() are collective:
  /// every rank makes the same calls in the same order, and gets the same answers. A failure,
  /// time-out or lack of memory of one rank is the answer on all.
  /// @param group outlives the executor.
  /// @throws InputError if the problem cannot be divided, or as ExecutorFactory::open().
  [[nodiscard]] virtual std::unique_ptr<DeviceExecutor> open(const PlacementProblem& problem,
                                                             PeerGroup& group) = 0;
};

}  // namespace abi_v1
}  // namespace berth
