// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/problem.hpp"

namespace berth::baselines {

/// For each op the next lower op that is its equal in every respect (compute times, memory,
/// predecessors and successors with the same sizes), or itself. Equal ops can be exchanged, so a
/// search may insist that the lower one starts first.
/// Cost O(ops log ops * degree).
[[nodiscard]] std::vector<std::uint32_t> op_twins(const PlacementProblem& problem);

}  // namespace berth::baselines
