// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "berth/device_executor.hpp"

#include "execution_plan.hpp"

namespace berth::executors {

/// When each task of a run was ready, started and ended, and on which stream of its device.
struct RunRecord {
  std::vector<double> ready;          ///< [tasks] seconds; of ops.
  std::vector<double> start;          ///< [tasks] seconds
  std::vector<double> finish;         ///< [tasks] seconds
  std::vector<std::uint32_t> stream;  ///< [tasks]

  void resize(std::size_t tasks);
};

/// Sets when each task was ready from when those before it ended.
void set_ready(const ExecutionPlan& plan, RunRecord& record);

/// The record as a trace, from the first op's start on, in the problem's time units.
[[nodiscard]] Trace trace_of(const PlacementProblem& problem,
                             const ExecutionPlan& plan,
                             const RunRecord& record);

/// Runs until all repeats are made or one is given up.
/// @param run_once gets the time-out; seconds of the run, none if it was given up.
[[nodiscard]] Measurement measure_runs(
    const MeasureSpec& spec, const std::function<std::optional<double>(double)>& run_once);

}  // namespace berth::executors
