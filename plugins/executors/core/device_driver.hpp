// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "kernel_call.hpp"
#include "memory_source.hpp"

namespace berth::executors {

/// What a driver launches. A driver sees no graphs and no placements.
using KernelCall = std::variant<MapCall, ReduceCall, ProductCall, SpinCall>;

/// A stream of a device: compute streams come first, then copy streams.
struct StreamId {
  std::uint32_t device = 0;
  std::uint32_t number = 0;

  bool operator==(const StreamId&) const = default;
};

/// A copy between two devices.
struct CopyCall {
  std::uint32_t from_device = 0;
  std::uint32_t to_device = 0;
  const float* from = nullptr;
  float* to = nullptr;
  std::uint64_t bytes = 0;
  double least_seconds = 0.0;  ///< The copy ends no earlier after its start: emulated links.
};

/// Devices with streams: the seam between the scheduling core and CUDA. What is put on one stream
/// runs in order; streams run beside each other and are ordered by events alone. No call waits for
/// a device unless it says so. One thread calls. Errors of the devices are RunErrors that name the
/// call.
class DeviceDriver : public MemorySource {
 public:
  /// Events are numbers; each belongs to a device and is recorded again in every run.
  /// @param device [events]
  virtual void make_events(std::span<const std::uint32_t> device) = 0;

  virtual void launch(StreamId stream, std::span<const KernelCall> calls) = 0;
  /// @param stream of the destination.
  virtual void copy(StreamId stream, const CopyCall& call) = 0;
  virtual void record(StreamId stream, std::uint32_t event) = 0;
  /// Whatever is put on `stream` from now on starts after `event`, as it was last recorded.
  virtual void wait(StreamId stream, std::uint32_t event) = 0;

  /// Whether all before `event` has ended. Does not wait.
  [[nodiscard]] virtual bool finished(std::uint32_t event) = 0;
  /// Waits until all devices are idle.
  virtual void synchronize() = 0;
  /// Makes spinning kernels end at once, until the next start_clock().
  virtual void cancel() = 0;

  /// From here on events count; all devices are idle. Forgets a cancel().
  virtual void start_clock() = 0;
  /// Seconds since some fixed point, steady.
  [[nodiscard]] virtual double now() = 0;
  /// When `event` was reached, in seconds since start_clock(). @pre finished(event).
  [[nodiscard]] virtual double event_seconds(std::uint32_t event) = 0;

  /// What comes between is not run but kept, to be run as a whole by replay(), any number of times.
  /// The last capture counts.
  virtual void begin_capture() = 0;
  virtual void end_capture() = 0;
  /// `event` ends with it.
  virtual void replay(std::uint32_t event) = 0;

  [[nodiscard]] virtual std::string description() const = 0;
};

}  // namespace berth::executors
