// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <span>

#include "berth/executor.hpp"
#include "berth/export.hpp"
#include "berth/problem.hpp"

namespace berth {
inline namespace abi_v1 {

/// Discrete-event execution of placements under a problem's execution options.
///
/// Time is in double time units; simultaneous events are resolved by op id, so results do not
/// depend on insertion order. Each instant alternates, until nothing happens: all completions and
/// arrivals; then every idle device starts the waiting op its discipline prefers. An order that a
/// priority or static discipline lacks counts as all zeros, so ids decide.
///
/// Keeps its workspace: makespan() allocates nothing after its first call with, and its first
/// without, an order. `delay` and `links` under fifo with one stream, where every op takes time,
/// run on engines without finish events (delay_fifo.hpp, links_fifo.hpp); all else, and every
/// trace, on an event list. Both give the same numbers. Cost O((ops + edges) log width). An object
/// serves one thread; the problem must outlive it.
class BERTH_API Simulator final : public Executor {
 public:
  /// @throws InputError if an execution option is out of range (0 streams, noise beyond 0 to 5) or
  ///         the sum of all times is not finite.
  explicit Simulator(const PlacementProblem& problem);
  ~Simulator() override;

  /// The fast path of search: devices alone (no order), not checked beyond BERTH_DCHECK.
  /// +infinity if an op is on a device that cannot run it or a device's memory overflows.
  [[nodiscard]] double makespan(std::span<const DeviceId> device);

  /// The same with an order; `order` may be empty. A static order that deadlocks: +infinity.
  [[nodiscard]] double makespan(std::span<const DeviceId> device, std::span<const double> order);

  /// Mean of the finish times of all ops in the last run, time units; of no meaning after one that
  /// came to +infinity, 0 before any.
  [[nodiscard]] double mean_finish() const noexcept;

  /// Checked. @throws InputError as check_placement(), or for a static order that deadlocks,
  ///         listing what waits for what.
  [[nodiscard]] double makespan(const Placement& placement) override;
  [[nodiscard]] Trace trace(const Placement& placement) override;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace abi_v1
}  // namespace berth
