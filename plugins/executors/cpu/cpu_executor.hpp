// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/device_executor.hpp"

#include "core/device_memory.hpp"
#include "core/dispatcher.hpp"
#include "core/link_clock.hpp"
#include "core/op_shape.hpp"
#include "core/run_record.hpp"
#include "device_signal.hpp"
#include "host_memory.hpp"
#include "kernels.hpp"
#include "work_kernel.hpp"
#include "worker_pool.hpp"

namespace berth::executors {

struct CpuOptions {
  /// Transfers take as long as the topology's links say, under the contention of `links`; else as
  /// long as the host's memory takes. Always so for graphs whose costs are times.
  bool emulate_links = false;
  std::uint32_t cores_per_device = 1;  ///< >= 1
  std::uint32_t spin_microseconds = 20000;
};

/// A host's cores as devices. Each device has as many threads as the problem has streams, pinned
/// to its cores; threads take work from the device's queue and tell the others what became ready,
/// so nothing stands between the end of an op and the start of the next. A transfer is a copy from
/// arena to arena by a thread of its destination.
class CpuExecutor final : public DeviceExecutor {
 public:
  CpuExecutor(const PlacementProblem& problem, const CpuOptions& options);
  ~CpuExecutor() override;

  double makespan(const Placement& placement) override;
  Trace trace(const Placement& placement) override;
  Measurement measure(const Placement& placement, const MeasureSpec& spec) override;
  Trace last_trace() const override;
  std::vector<float> output(OpId op) const override;
  std::string description() const override;

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] std::optional<std::string> prepare(const Placement& placement);
  [[nodiscard]] bool run_once(double timeout_seconds);
  void work(std::size_t worker) noexcept;
  void run_op(std::uint32_t op, std::uint32_t device, std::uint32_t stream) noexcept;
  void run_transfer(std::uint32_t transfer) noexcept;
  void complete(std::uint32_t task, double now) noexcept;
  void reserve_links(std::uint32_t op, double now);
  void wake_all() noexcept;
  [[nodiscard]] double now() const noexcept {
    return std::chrono::duration<double>(Clock::now() - base_).count();
  }

  const PlacementProblem& problem_;
  CpuOptions options_;
  std::uint32_t streams_;
  bool crowded_ = false;
  std::size_t host_cores_ = 0;
  OpShapes shapes_;
  HostMemory host_;
  DeviceMemory memory_;
  std::optional<WorkKernel> work_kernel_;
  std::vector<std::uint64_t> rounds_;  ///< [ops] of emulated kernels, on their device.
  LinkClock links_;

  Placement placement_;  ///< The one that is prepared; empty if none.
  ExecutionPlan plan_;
  Dispatcher dispatcher_;
  std::vector<LinkClock::Slot> slot_;  ///< [transfers]
  RunRecord record_;                   ///< Seconds since base_.
  Clock::time_point base_;
  std::atomic<bool> cancelled_{false};
  std::vector<DeviceSignal> signals_;  ///< [devices]
  std::unique_ptr<WorkerPool> pool_;   ///< Last: its threads use all of the above.
};

}  // namespace berth::executors
