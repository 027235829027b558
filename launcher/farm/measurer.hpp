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
  std::uint32_t group = 1;        ///< Of these that run a placement together, >= 1.
  std::uint32_t repeats = 3;      ///< Runs of a placement that count, >= 1.
  std::uint32_t warm_up = 1;      ///< Runs before each of these.
  std::uint32_t confirm = 7;      ///< Runs of a challenger and the incumbent that decide, >= 1.
  double timeout_seconds = 10.0;  ///< Of a run of the incumbent; 0: none.
  TrialSettings trials;
};

/// Runs placements on the real devices of one rank, or of a group's, which stay open from update
/// to update.
class Measurer {
 public:
  /// Opens the devices for every problem. @throws as open_executor().
  /// @param group the ranks that run placements together, of which all measure the same; none: this
  ///        one alone.
  Measurer(PluginHost& host,
           const Problems& problems,
           const MeasureSettings& settings,
           PeerGroup* group = nullptr);

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

  /// The signal that asks this rank to stop, or another of the group: all stop at the same run.
  [[nodiscard]] int raised(const StopSignal& stop) const;
  [[nodiscard]] bool is_group() const { return group_ != nullptr && group_->size() > 1; }

  const Problems* problems_;
  MeasureSettings settings_;
  PeerGroup* group_;
  std::vector<std::unique_ptr<DeviceExecutor>> executors_;  ///< [problems]
};

}  // namespace berth::launcher
