// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/graph_partitioner.hpp"
#include "berth/host_services.hpp"

namespace berth::planners {

/// The best contiguous plan, proved: stages are differences of nested downsets (Tarnawski et al.,
/// NeurIPS 2020), each with its own tensor width, replicas and recomputation (Piper, NeurIPS 2021).
/// Differs from both: bisection on the answer, so that the table holds what the rest of the graph
/// needs instead of a value per number of devices and replicas; the choice of recomputation within
/// a stage is exact where Piper's is a knapsack heuristic.
/// @param tolerance relative; plans whose slowest stages are closer than this are equally good.
[[nodiscard]] PartitionAnswer partition_contiguous(const PartitionProblem& problem,
                                                   double tolerance = 1e-12);

[[nodiscard]] std::unique_ptr<GraphPartitioner> make_contiguous_partitioner(
    const HostServices& host);

}  // namespace berth::planners
