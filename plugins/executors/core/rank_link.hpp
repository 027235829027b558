// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>

#include "device_driver.hpp"

namespace berth::executors {

/// Two devices of different ranks, numbered as in the problem.
struct DevicePair {
  std::uint32_t from = 0;
  std::uint32_t to = 0;

  auto operator<=>(const DevicePair&) const = default;
};

/// One half of a transfer between two ranks.
struct RankTransfer {
  DevicePair devices;
  std::uint64_t bytes = 0;
  double least_seconds = 0.0;  ///< That the sending half takes: emulated links.
};

/// How results get from a device of one rank to one of another, beside a DeviceDriver, on whose
/// streams the halves of a transfer are put: the seam between the scheduling core and NCCL.
///
/// A half ends when the other half has moved its bytes, too, so that it may block its stream, and
/// whatever the link keeps in order with it. All ranks put their halves in one order, that of the
/// plan's steps: the k-th send of a rank to another meets the k-th receive there. Nothing but what
/// was put earlier is waited for by any half or any stream, so no circle of waits can arise.
class RankLink {
 public:
  RankLink() = default;
  RankLink(const RankLink&) = delete;
  RankLink& operator=(const RankLink&) = delete;
  virtual ~RankLink() = default;

  /// Makes ready for transfers between these devices, of this rank or not; collective.
  /// @throws RunError saying what is missing, or that a rank does not answer.
  virtual void connect(std::span<const DevicePair> pairs) = 0;

  /// @param stream of the source, as its rank numbers it.
  virtual void send(StreamId stream, const float* from, const RankTransfer& transfer) = 0;
  /// @param stream of the destination, as its rank numbers it.
  virtual void receive(StreamId stream, float* to, const RankTransfer& transfer) = 0;

  /// Why halves that were put will never end; empty while they may. Does not wait.
  [[nodiscard]] virtual std::string failure() = 0;
  /// Ends the halves that are under way, whatever they moved, on a driver that is cancelled or not;
  /// the link is of no use from then on.
  virtual void abort() noexcept = 0;

  /// "NCCL 2.28"
  [[nodiscard]] virtual std::string description() const = 0;
};

}  // namespace berth::executors
