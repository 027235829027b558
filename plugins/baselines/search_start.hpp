// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "settle.hpp"

namespace berth::baselines {

/// Where a search starts: the evaluator's best so far where there is one, else the best of the
/// best single device, HEFT, ETF and deterministic CRITICAL PATH, all simulated. The returned
/// placement always carries an order where order counts.
/// @throws SolverError as pack_into_memory(), which is asked where none of them finds room.
[[nodiscard]] Scored search_start(Evaluator& evaluator);

}  // namespace berth::baselines
