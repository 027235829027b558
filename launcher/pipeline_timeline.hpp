// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/parallel_plan.hpp"
#include "berth/plan_score.hpp"

namespace berth::launcher {

/// One pass of one micro-batch through one stage.
struct PipelinePass {
  std::uint32_t row = 0;
  std::uint32_t stage = 0;
  std::uint32_t micro_batch = 0;
  bool forward = true;
  double start_seconds = 0.0;
  double end_seconds = 0.0;
};

/// A batch played out: who works on what, when.
struct PipelineTimeline {
  std::vector<std::string> rows;     ///< Labels: one for every block that is shown.
  std::vector<PipelinePass> passes;  ///< By row, then by start.
  double end_seconds = 0.0;          ///< Of the last backward pass.
};

/// Plays the schedule of a plan whose times a score has filled in. Stages of equal replicas are
/// shown by their first replica, under 1F1B or, with chunks, interleaved 1F1B (Narayanan et al.
/// 2021, section 2.2); where stages differ in replicas, all blocks are shown. The schedule is that
/// of play_pipeline().
/// Cost O(rows * passes).
[[nodiscard]] PipelineTimeline pipeline_timeline(const ParallelPlan& plan);

/// The timeline as a Chrome trace: opens in Perfetto and chrome://tracing. Microseconds.
[[nodiscard]] std::string timeline_trace(const ParallelPlan& plan,
                                         const PipelineTimeline& timeline);

}  // namespace berth::launcher
