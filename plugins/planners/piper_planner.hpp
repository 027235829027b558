// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/host_services.hpp"
#include "berth/strategy_planner.hpp"

namespace berth::planners {

/// Like Piper (Tarnawski, Narayanan and Phanishayee, NeurIPS 2021): every stage has its own tensor
/// width, number of replicas and recomputation; the slowest stage is made as fast as it can be, on
/// a flat network with 4 (d-1) w / (d N) of gradient traffic per sample. Solved exactly by the
/// partitioner `contiguous`, for every micro-batch size, and scored on the true network. Differs:
/// one recomputation per stage in place of one per layer. As in the paper: no ZeRO, widths that are
/// powers of two within a node.
[[nodiscard]] std::unique_ptr<StrategyPlanner> make_piper(const HostServices& host);

}  // namespace berth::planners
