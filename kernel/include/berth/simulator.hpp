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
/// depend on insertion order. Keeps its workspace: makespan() allocates nothing after its first
/// call. An object serves one thread; the problem must outlive it.
class BERTH_API Simulator final : public Executor {
 public:
  explicit Simulator(const PlacementProblem& problem);
  ~Simulator() override;

  /// The fast path of search: devices alone (no order), not checked beyond BERTH_DCHECK.
  /// +infinity if an op is on a device that cannot run it or a device's memory overflows.
  [[nodiscard]] double makespan(std::span<const DeviceId> device);

  /// The same with an order; `order` may be empty. A static order that deadlocks: +infinity.
  [[nodiscard]] double makespan(std::span<const DeviceId> device, std::span<const double> order);

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
