// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/executor.hpp"
#include "berth/export.hpp"
#include "berth/problem.hpp"
#include "berth/trainable_policy.hpp"

namespace berth {
inline namespace abi_v1 {

/// How often a placement is run, and when it is given up.
struct MeasureSpec {
  std::uint32_t warm_up = 1;      ///< Runs before those that count.
  std::uint32_t repeats = 5;      ///< Runs that count, >= 1.
  double timeout_seconds = 10.0;  ///< Of one run; 0: none. A kernel that runs is never cut off.
};

/// What came of running one placement.
struct Measurement {
  RolloutStatus status = RolloutStatus::kOk;
  std::string reason;           ///< Why it failed; empty when it did not.
  std::vector<double> seconds;  ///< Of each run that counts, in order; fewer after a failure.
  double median_seconds = 0.0;  ///< Of `seconds`; 0 after a failure.
};

/// Runs placements of one problem on real devices. Arenas, inputs, threads or streams, and the
/// plan of the last placement stay resident; inputs are placed before the clock starts; a run's
/// time is from the first dispatch to the last completion. Dispatch is work-conserving: whatever
/// is ready on a free device starts. An object serves one thread; the problem must outlive it.
class BERTH_API DeviceExecutor : public Executor {
 public:
  DeviceExecutor() = default;
  ~DeviceExecutor() override;

  /// Runs a placement. A time-out, or memory that does not suffice, is an answer.
  /// @throws InputError if the placement is not legal for the problem (memory aside) or its static
  ///         order deadlocks.
  [[nodiscard]] virtual Measurement measure(const Placement& placement,
                                            const MeasureSpec& spec) = 0;

  /// One run of the placement last measured, op by op.
  [[nodiscard]] virtual Trace last_trace() const = 0;

  /// The result of an op in the last run, row-major; empty unless the op has no successor, as
  /// other results may have been overwritten.
  [[nodiscard]] virtual std::vector<float> output(OpId op) const = 0;

  /// What the devices are, in one line, and whether links or kernels are emulated.
  [[nodiscard]] virtual std::string description() const = 0;
};

/// Opens devices for problems: what a plugin offers under `berth.executor/1`.
class BERTH_API ExecutorFactory {
 public:
  static constexpr std::string_view kInterface = "berth.executor/1";

  ExecutorFactory() = default;
  ExecutorFactory(const ExecutorFactory&) = delete;
  ExecutorFactory& operator=(const ExecutorFactory&) = delete;
  virtual ~ExecutorFactory();

  /// @throws InputError if a kernel of the graph is not what its edges and sizes say; RunError if
  ///         the devices are not there.
  [[nodiscard]] virtual std::unique_ptr<DeviceExecutor> open(const PlacementProblem& problem) = 0;
};

}  // namespace abi_v1
}  // namespace berth
