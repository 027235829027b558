// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/graph.hpp"
#include "berth/trace.hpp"

namespace berth::baselines {

/// Ops that together determine the makespan of a run, last first: each starts the moment its cause
/// lets it, which is the op whose result arrives last or, where the op waits for its device, the op
/// that leaves it. Shortening the run takes a change at one of them. Empty for an empty trace.
/// @param trace of `graph`, as a Simulator or an executor makes it.
/// Cost O((ops + transfers) * log).
[[nodiscard]] std::vector<OpId> critical_chain(const Trace& trace, const Graph& graph);

}  // namespace berth::baselines
