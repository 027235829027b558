// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/device_executor.hpp"

#include "device_driver.hpp"
#include "device_memory.hpp"
#include "op_shape.hpp"
#include "run_record.hpp"
#include "stream_plan.hpp"

namespace berth::executors {

/// When tasks are put on streams.
enum class DispatchMode : std::uint8_t {
  /// All at once, before anything runs: order and streams are planned with the costs of the
  /// problem, dependencies are events that streams wait for. No host stands between two ops.
  kAhead,
  /// Each when its inputs are there and a stream is free, by the host: exactly work-conserving, at
  /// the price of a round trip to the host after every task.
  kReady,
};

struct StreamOptions {
  std::uint32_t copy_streams = 2;  ///< Of a device, for transfers that it receives.
  DispatchMode dispatch = DispatchMode::kAhead;
  bool graphs = false;   ///< Repeats replay a captured run; kAhead alone.
  bool op_times = true;  ///< Events around every task.
  /// Transfers take at least as long as the topology says; always for graphs whose costs are times.
  bool emulate_links = false;
  double latency_seconds = 0.0;   ///< Instead of the topology's, if either is above 0.
  double bytes_per_second = 0.0;  ///< 0: no limit.
};

/// Runs placements on devices with streams, whatever is behind the driver. The arenas, inputs,
/// kernel calls and the stream plan of the last placement stay.
class StreamExecutor final : public DeviceExecutor {
 public:
  /// The problem must outlive the executor. @pre the driver has as many devices as the problem,
  /// each with problem.execution.streams compute streams and options.copy_streams copy streams.
  StreamExecutor(const PlacementProblem& problem,
                 const StreamOptions& options,
                 std::unique_ptr<DeviceDriver> driver);
  ~StreamExecutor() override;

  double makespan(const Placement& placement) override;
  Trace trace(const Placement& placement) override;
  Measurement measure(const Placement& placement, const MeasureSpec& spec) override;
  Trace last_trace() const override;
  std::vector<float> output(OpId op) const override;
  std::string description() const override;

 private:
  [[nodiscard]] std::optional<std::string> prepare(const Placement& placement);
  [[nodiscard]] std::vector<double> expected_seconds() const;
  [[nodiscard]] double link_seconds(const ExecutionPlan::Transfer& transfer) const;
  [[nodiscard]] std::optional<double> run_once(double timeout_seconds);
  [[nodiscard]] bool run_ahead(double deadline);
  [[nodiscard]] bool run_ready(double deadline);
  [[nodiscard]] bool await(std::uint32_t event, double deadline);
  void issue_all(bool timed);
  void issue(std::uint32_t task, StreamId stream, bool timed);
  void capture();
  void read_times();
  [[nodiscard]] std::uint32_t start_event(std::uint32_t task) const noexcept {
    return static_cast<std::uint32_t>(plan_.num_tasks()) + task;
  }
  [[nodiscard]] std::uint32_t replay_event() const noexcept {
    return static_cast<std::uint32_t>(2 * plan_.num_tasks());
  }

  const PlacementProblem& problem_;
  StreamOptions options_;
  StreamSpec streams_;
  OpShapes shapes_;
  std::unique_ptr<DeviceDriver> driver_;
  DeviceMemory memory_;

  Placement placement_;  ///< The one that is prepared; empty if none.
  ExecutionPlan plan_;
  std::optional<Producers> producers_;
  StreamPlan stream_plan_;
  std::vector<std::vector<KernelCall>> calls_;  ///< [ops]
  std::vector<std::uint32_t> calls_stream_;     ///< [ops] for whose workspace they are.
  bool captured_ = false;
  RunRecord record_;
};

}  // namespace berth::executors
