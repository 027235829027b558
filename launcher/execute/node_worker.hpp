// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"
#include "berth/training_job.hpp"

#include "farm/stop_signal.hpp"
#include "farm/watchdog.hpp"
#include "mix.hpp"
#include "slot_messages.hpp"

namespace berth::launcher {

/// The options of a job's model: as the mix states them, the node's threads, and the length of a
/// cosine schedule, which is the job's where the mix states none.
/// @param steps Of the job in all, 0 if not known yet.
/// @throws InputError with the place of the setting; PluginError if no plugin offers the model.
[[nodiscard]] Config model_config(PluginHost& host,
                                  const MixJob& job,
                                  std::uint32_t threads,
                                  std::uint64_t steps);

/// Steps of a job in all; epochs count steps of its own samples and batch.
[[nodiscard]] std::uint64_t job_steps(const MixJob& job, const TrainingSize& size);

/// A job of the mix as its model stands before the first step. @throws as model_config().
[[nodiscard]] std::unique_ptr<TrainingJob> make_job(PluginHost& host,
                                                    const MixJob& job,
                                                    std::uint64_t run_seed,
                                                    std::uint32_t threads);

/// One node of the mix: trains the copies that it is told to.
class NodeWorker {
 public:
  /// References must outlive the worker.
  NodeWorker(const Mix& mix,
             std::uint32_t node,
             std::uint64_t run_seed,
             PluginHost& host,
             Watchdog& watchdog,
             const StopSignal& stop);

  /// The copy of a job that this node holds; made when first asked for.
  [[nodiscard]] TrainingJob& job(std::size_t id);

  /// Trains from `state` as ordered. What goes wrong in the model is told in the report, not
  /// thrown. A node with a duty below 1 pauses after every few steps so long that it has computed
  /// that share of the time, by the processor's clock.
  /// @param state Packed; afterwards the copy's own, unless it failed.
  [[nodiscard]] CopyReport run(const CopyOrder& order,
                               std::vector<float>& state,
                               std::uint64_t round);

 private:
  void train(const CopyOrder& order, TrainingJob& job, CopyReport& report, std::uint64_t round);

  const Mix& mix_;
  std::uint32_t node_;
  std::uint64_t run_seed_;
  PluginHost& host_;
  Watchdog& watchdog_;
  const StopSignal& stop_;
  std::vector<std::unique_ptr<TrainingJob>> jobs_;
  std::vector<bool> is_warm_;  // has made a step that counts for nothing
};

}  // namespace berth::launcher
