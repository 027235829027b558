// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/evaluator.hpp"
#include "berth/rng.hpp"

#include "cooling.hpp"

namespace berth::baselines {

/// Anneals the devices of evaluator.best(), simulated without an order. Improvements reach the
/// evaluator. @pre evaluator.best() is there; the discipline does not need an order.
void anneal_devices(Evaluator& evaluator, SearchPhase phase, Rng& rng);

/// Anneals devices and order of evaluator.best(), which may lack an order. In the `delay` model
/// makespans are decoded without the simulator and counted as simulations.
void anneal_order(Evaluator& evaluator, SearchPhase phase, Rng& rng);

}  // namespace berth::baselines
