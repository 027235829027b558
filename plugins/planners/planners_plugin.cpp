// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include "alpa_planner.hpp"
#include "artifact_fixed.hpp"
#include "contiguous_partitioner.hpp"
#include "exhaustive_planner.hpp"
#include "manual_planner.hpp"
#include "mist_planner.hpp"
#include "partition_annealing.hpp"
#include "phaze_planner.hpp"
#include "piper_planner.hpp"
#include "random_planner.hpp"
#include "uniform_planner.hpp"

using berth::GraphPartitioner;
using berth::offer;
using berth::StrategyPlanner;
namespace planners = berth::planners;

BERTH_PLUGIN("planners",
             "0.1.0",
             offer<StrategyPlanner, planners::make_manual>(
                 "manual",
                 "Degrees by hand, or by Megatron-LM's rules of thumb (Narayanan et al. 2021).",
                 planners::kManualOptions),
             offer<StrategyPlanner, planners::make_uniform>("uniform",
                                                            "All degrees, layers split evenly.",
                                                            planners::kCommonOptions),
             offer<StrategyPlanner, planners::make_alpa>(
                 "alpa",
                 "Two levels over sub-meshes of a flat mesh, like Alpa (Zheng et al. 2022).",
                 planners::kAlpaOptions),
             offer<StrategyPlanner, planners::make_phaze>(
                 "phaze",
                 "Best cuts for a flat network, like Phaze (Wang et al. 2024).",
                 planners::kCommonOptions),
             offer<StrategyPlanner, planners::make_mist>(
                 "mist",
                 "Memory and overlap with uneven cuts, like Mist (Zhu et al. 2025).",
                 planners::kCommonOptions),
             offer<StrategyPlanner, planners::make_piper>(
                 "piper",
                 "Width, replicas and recomputation per stage, like Piper (Tarnawski et al. 2021).",
                 planners::kCommonOptions),
             offer<StrategyPlanner, planners::make_mcmc>(
                 "mcmc", "Metropolis over cuts and degrees, seeded.", planners::kMcmcOptions),
             offer<StrategyPlanner, planners::make_random_planner>(
                 "random", "The best of plans drawn at random.", planners::kRandomOptions),
             offer<StrategyPlanner, planners::make_exhaustive_planner>(
                 "exhaustive", "Every plan of equal degrees.", planners::kExhaustiveOptions),
             offer<StrategyPlanner, planners::make_artifact_fixed>(
                 "artifact-fixed",
                 "A fixed plan of a planner file of the NEST artifact, by its rules.",
                 planners::kArtifactFixedOptions),
             offer<GraphPartitioner, planners::make_contiguous_partitioner>(
                 "contiguous",
                 "Proved best contiguous stages of a layer graph (Tarnawski et al. 2020, 2021).",
                 {}),
             offer<GraphPartitioner, planners::make_annealing_partitioner>(
                 "partition-annealing",
                 "Stages that need not be contiguous, by simulated annealing.",
                 planners::kPartitionAnnealingOptions))
