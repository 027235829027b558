// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "berth/device_executor.hpp"
#include "berth/plugin_host.hpp"

#include "campaign_record.hpp"
#include "measure_report.hpp"
#include "rollout_runner.hpp"
#include "stop_signal.hpp"
#include "trials.hpp"
#include "watchdog.hpp"

namespace berth::launcher {

/// How runs are made in a stage of kind execution.
struct MeasureSettings {
  std::string executor = "cpu";   ///< As a user types it.
  std::uint32_t ranks = 1;        ///< The last ones measure, all where there are fewer.
  std::uint32_t repeats = 3;      ///< Runs of a placement that count, >= 1.
  std::uint32_t warm_up = 1;      ///< Runs before each of these.
  std::uint32_t confirm = 7;      ///< Runs of a challenger and the incumbent that decide, >= 1.
  double timeout_seconds = 10.0;  ///< Of a run of the incumbent; 0: none.
  TrialSettings trials;
};

/// Runs placements on the real devices of one rank, which stay open from update to update.
class Measurer {
 public:
  /// Opens the devices for every problem. @throws as PluginHost::device_executor().
  Measurer(PluginHost& host, const Problems& problems, const MeasureSettings& settings);

  /// Runs the rank's trials of an update. For each problem the incumbent and all trials are run in
  /// turn, `repeats` times over, so that what the host does meanwhile falls on all of them; then
  /// the fastest trial, if it beats the incumbent by the margin, and the incumbent `confirm` times
  /// more. A trial that is given up, or for which there is no memory, is not run again. Gives up
  /// after the run at hand when `stop` is raised.
  /// @throws RunError if the incumbent itself does not run, naming problem and reason.
  [[nodiscard]] MeasureReport run(std::span<const Trial> trials,
                                  const CampaignRecord& record,
                                  const StopSignal& stop,
                                  Watchdog& watchdog);

  [[nodiscard]] std::string description() const { return executors_.front()->description(); }

 private:
  [[nodiscard]] double run_incumbent(std::uint32_t problem, const CampaignRecord& record);
  void run_trial(const Trial& trial, double incumbent_seconds, MeasuredRollout& rollout);
  void confirm(std::span<const Trial> trials,
               const CampaignRecord& record,
               const StopSignal& stop,
               Watchdog& watchdog,
               MeasuredProblem& found);

  const Problems* problems_;
  MeasureSettings settings_;
  std::vector<std::unique_ptr<DeviceExecutor>> executors_;  ///< [problems]
};

/// Which of the ranks that measure `rank` is; `ranks` if it is none.
[[nodiscard]] std::size_t executor_index(int rank, int size, std::uint32_t ranks);

}  // namespace berth::launcher
