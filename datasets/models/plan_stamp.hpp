// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/parallel_plan.hpp"
#include "berth/strategy_problem.hpp"

namespace berth::datasets {

/// Device numbers of equal blocks in a regular grid: block of stage q of replica r starts at
/// first + r * per_replica + q * per_stage.
struct BlockGrid {
  std::int64_t first = 0;
  std::int64_t per_replica = 0;
  std::int64_t per_stage = 0;
};

/// What a plan says that the format of a training framework has no word for.
struct PlanStamp {
  std::uint32_t data = 1;
  std::uint32_t zero = 0;
  std::uint32_t chunks = 1;
  bool sequence_parallel = false;
  Packing packing = Packing::kPipelineInner;
  std::vector<Recompute> recompute;  ///< [stages]
  std::optional<BlockGrid> grid;     ///< Absent: the blocks are in no regular grid.
};

/// One line of key=value words that starts with "berth-plan": hashes of model and cluster, and a
/// PlanStamp. Frameworks take it as a comment.
[[nodiscard]] std::string plan_stamp(const StrategyProblem& problem, const ParallelPlan& plan);

/// Finds such a line in a text. @return nothing if there is none. @throws InputError with `place`
/// for the hash of another model or cluster, or for a word that is none.
[[nodiscard]] std::optional<PlanStamp> read_plan_stamp(const std::string& text,
                                                       const std::string& place,
                                                       const StrategyProblem& problem);

/// What every framework's format asks of a plan: a transformer (embedding first, head last), one
/// configuration and one number of replicas for all stages.
/// @throws InputError naming `format` and what the plan has instead.
void require_one_configuration(const StrategyProblem& problem,
                               const ParallelPlan& plan,
                               const std::string& format);

/// Transformer layers of each stage, embedding and head not counted. @pre as above
[[nodiscard]] std::vector<std::uint32_t> transformer_layers(const StrategyProblem& problem,
                                                            const ParallelPlan& plan);

}  // namespace berth::datasets
