// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/evaluator.hpp"

namespace berth::baselines {

/// Scores where a search may start: the best single device, HEFT with two rules for equal devices,
/// MCT, ETF, deterministic CRITICAL PATH and the ranges of EnumerativeOptimizer, as far as the
/// problem's size and the budget allow. After that evaluator.best() is the best of them and of what
/// the evaluator had seen before.
/// @throws SolverError as pack_into_memory(), which is asked where none of them finds room.
void search_start(Evaluator& evaluator);

}  // namespace berth::baselines
