// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/strategy_planner.hpp"

#include "planner_options.hpp"

namespace berth::planners {

inline constexpr berth_option_spec kManualOptions[] = {
    {"stages", BERTH_OPTION_INTEGER, "0", 0, 100000, "", "", "Pipeline stages; 0: by the rules."},
    {"data", BERTH_OPTION_INTEGER, "0", 0, 1000000, "", "", "Replicas; 0: all that fit."},
    {"tensor", BERTH_OPTION_INTEGER, "0", 0, 4096, "", "", "Tensor width; 0: by the rules."},
    {"expert", BERTH_OPTION_INTEGER, "0", 0, 4096, "", "", "Expert width; 0: by the rules."},
    {"context", BERTH_OPTION_INTEGER, "1", 1, 4096, "", "", "Context width."},
    {"micro_batch", BERTH_OPTION_INTEGER, "1", 1, 4096, "", "", "Sequences of a micro-batch."},
    {"sequence_parallel",
     BERTH_OPTION_CHOICE,
     "auto",
     0,
     0,
     "",
     "auto,true,false",
     "auto: with tensor parallelism."},
    {"zero",
     BERTH_OPTION_INTEGER,
     "1",
     0,
     3,
     "",
     "",
     "ZeRO stage; 1 is Megatron-LM's distributed optimizer."},
    {"layers",
     BERTH_OPTION_TEXT,
     "",
     0,
     0,
     "",
     "",
     "Layers per stage, such as 4,4,5; empty: even."},
    {"cuts",
     BERTH_OPTION_CHOICE,
     "given",
     0,
     0,
     "",
     "given,best",
     "Keep the layers per stage, or find the best cuts for the degrees."},
    {"packing",
     BERTH_OPTION_CHOICE,
     "data-inner",
     0,
     0,
     "",
     "pipeline-inner,data-inner",
     "Whose ranks are neighbours; data-inner is Megatron-LM's order."},
    kOverlapTransfer,
    kOverlapGradient,
};

/// A plan by hand. Degrees that are not given follow the rules of thumb of Narayanan et al., SC
/// 2021 (takeaways 1 and 2): tensor parallelism inside a node, the expert width likewise, then
/// pipeline stages, no more of each than it takes to fit; replicas take the rest. Sequence
/// parallelism goes with tensor parallelism, and recomputation is one choice for all stages, the
/// least that fits (Korthikanti et al. 2022). With cuts=best the degrees are kept and cuts and
/// recomputation per stage are optimised.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_manual(const HostServices& host);

}  // namespace berth::planners
