// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/artifact_score.hpp"
#include "berth/host_services.hpp"
#include "berth/strategy_planner.hpp"

namespace berth::planners {

inline constexpr berth_option_spec kArtifactFixedOptions[] = {
    {"stages", BERTH_OPTION_INTEGER, "1", 1, 100000, "", "", "Pipeline stages."},
    {"data", BERTH_OPTION_INTEGER, "1", 1, 1000000, "", "", "Replicas."},
    {"tensor", BERTH_OPTION_INTEGER, "1", 1, 4096, "", "", "Tensor width."},
    {"transformer_layers",
     BERTH_OPTION_INTEGER,
     "1",
     1,
     100000,
     "",
     "",
     "Layers between embedding and head."},
    {"layers",
     BERTH_OPTION_TEXT,
     "",
     0,
     0,
     "",
     "",
     "Transformer layers per stage for cuts=artifact; empty: even."},
    {"cuts",
     BERTH_OPTION_CHOICE,
     "even",
     0,
     0,
     "",
     "artifact,even,best",
     "As the artifact cuts and scores it, an even split in order, or the best cuts."},
    {"recompute_cost",
     BERTH_OPTION_CHOICE,
     "backward",
     0,
     0,
     "",
     "backward,forward",
     "What computing a stage again costs."},
    {"fill",
     BERTH_OPTION_CHOICE,
     "max",
     0,
     0,
     "",
     "max,sum",
     "Fill and drain cost (S-1) slowest stages, or the sum of the stages (even split alone)."},
};

/// A fixed plan (p, d, t) of a planner file of the NEST artifact (commit 3e163ad), timed by the
/// artifact's rules.
/// - even: ceil(layers / p) transformer layers a stage, the embedding with the first stage, a head
///   with the last, stages left empty dropped.
/// - best: the cuts into min(p, layers) stages with the least time, exact.
/// - artifact: what the artifact does with its baselines. The embedding takes the place of a layer,
///   what is left over lands in the last stage; stages are taken in reverse, so that the last one
///   is charged recomputation and p micro-batches in flight and its weights are reduced. The time
///   is the artifact's; the stages of the plan are those it means.
/// The time of even and best is score_artifact_plan()'s. One that needs too many devices or too
/// much memory is infeasible; a stage without layers is undefined in the artifact and refused.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_artifact_fixed(const HostServices& host);

}  // namespace berth::planners
