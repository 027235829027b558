// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/graph.hpp"

namespace berth::baselines {

/// The blocks of one operation that was cut into parts: a maximal run of consecutive ids with
/// equal kind, work and level (longest path from a source, in edges), ascending.
using MetaOp = std::vector<OpId>;

/// All meta-ops by level, then by id: each after everything it depends on.
/// Cost O(edges + ops log ops).
[[nodiscard]] std::vector<MetaOp> meta_ops(const Graph& graph);

}  // namespace berth::baselines
