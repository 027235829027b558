// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/cost_table.hpp"
#include "berth/execution_model.hpp"
#include "berth/export.hpp"
#include "berth/graph.hpp"

namespace berth {
inline namespace abi_v1 {

/// A makespan that no placement can beat under the given execution: the largest of
/// - for each op, the least time before it, its time on its fastest device and the least time
///   after it, where of several inputs either some cross devices or all their producers share one;
/// - for each op, the least time that all its direct predecessors take on devices * streams lanes,
///   by their work and by the fact that more ops than lanes share a lane; the same after it;
/// - for every set of ops, the least time before any of them, their work over devices * streams,
///   and the least time after any of them (Jackson's preemptive schedule);
/// - the same for the ops that only one device can run, on that device;
/// so at least the longest path with free transfers, and the total fastest work over capacity.
/// Rounded up where all times are whole numbers (not under `fair`), lowered by the possible
/// rounding of sums where they are not. With noise it holds for the noise-free costs.
/// Cost O(ops * (log ops + devices) + edges), with restricted ops O(edges * devices) more.
[[nodiscard]] BERTH_API double makespan_lower_bound(const Graph& graph,
                                                    const CostTable& costs,
                                                    const ExecutionOptions& execution);

}  // namespace abi_v1
}  // namespace berth
