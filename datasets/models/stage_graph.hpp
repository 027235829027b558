// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>

#include "berth/graph.hpp"
#include "berth/parallel_plan.hpp"
#include "berth/strategy_problem.hpp"
#include "berth/topology.hpp"

#include "datasets/clusters/cluster.hpp"
#include "training_problem.hpp"

namespace berth::datasets {

/// What one stage computes for one micro-batch, forward and backward, as a graph of operators for
/// the devices of its block: each kernel once for every device, with the planner's own price in
/// seconds (backward twice forward, recomputation again where the stage recomputes). Collectives
/// are edges: a sum over tensor ranks is a slice added by each rank and handed to all (the volume
/// of a ring), context ranks send each other keys and values, expert ranks their tokens. Edges are
/// seconds on the fastest link of group_topology().
///
/// @param stage index into the plan's stages. @throws InputError for a chain of convolutions, whose
///        blocks are a single device.
[[nodiscard]] Graph stage_graph(const Model& model,
                                const Cluster& cluster,
                                const TrainingSetup& setup,
                                const StrategyProblem& problem,
                                const ParallelPlan& plan,
                                std::size_t stage);

/// The devices of the stage's block of the first replica, with the cluster's links between them:
/// each device has a link of its own for every level, and shared uplinks are shared.
[[nodiscard]] Topology group_topology(const Cluster& cluster,
                                      const ParallelPlan& plan,
                                      std::size_t stage);

}  // namespace berth::datasets
