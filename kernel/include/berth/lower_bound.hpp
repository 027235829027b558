// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/cost_table.hpp"
#include "berth/execution_model.hpp"
#include "berth/export.hpp"
#include "berth/graph.hpp"

namespace berth {
inline namespace abi_v1 {

/// A makespan that no placement can beat under the given execution: the largest of the longest
/// path at each op's fastest device with free transfers, the total fastest work over
/// (devices * streams), and, where ops are bound to devices, the work bound to each device.
/// With noise it holds for the noise-free costs. Cost O(ops * classes + edges).
[[nodiscard]] BERTH_API double makespan_lower_bound(const Graph& graph,
                                                    const CostTable& costs,
                                                    const ExecutionOptions& execution);

}  // namespace abi_v1
}  // namespace berth
