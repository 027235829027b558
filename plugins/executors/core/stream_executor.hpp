// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/device_executor.hpp"
#include "berth/rank_executor.hpp"

#include "rank_group.hpp"
#include "stream_runner.hpp"

namespace berth::executors {

/// Runs placements on devices with streams: those of this process, or those of all ranks of a
/// group, each rank its own (RankExecutorFactory says what is collective then).
class StreamExecutor final : public DeviceExecutor {
 public:
  /// Alone. The problem must outlive the executor. @pre the driver has the problem's devices, with
  /// the streams that RankDevices says.
  StreamExecutor(const PlacementProblem& problem,
                 const StreamOptions& options,
                 std::unique_ptr<DeviceDriver> driver);
  /// One rank of a group; collective. Problem and group must outlive the executor. @pre the driver
  /// has the devices of this rank, as DeviceShare says.
  /// @throws InputError if the ranks' problems differ, or an option wants all devices in one rank.
  StreamExecutor(const PlacementProblem& problem,
                 const StreamOptions& options,
                 RankDevices devices,
                 PeerGroup& peers);

  double makespan(const Placement& placement) override;
  Trace trace(const Placement& placement) override;
  Measurement measure(const Placement& placement, const MeasureSpec& spec) override;
  Trace last_trace() const override;
  std::vector<float> output(OpId op) const override;
  std::string description() const override;

 private:
  [[nodiscard]] std::optional<double> run_once(double timeout_seconds);

  const PlacementProblem& problem_;
  bool op_times_;
  RankGroup ranks_;
  StreamRunner runner_;
  std::string description_;
  bool has_run_ = false;
};

}  // namespace berth::executors
