// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/problem.hpp"

namespace berth::doppler {

/// Cuts a graph of many ops where little passes, so that each piece can be placed by itself: a
/// model between its layers. Pieces follow one another in topological order; those of equal layers
/// are equal graphs where the cuts come to lie between layers.
///
/// A piece has 64 to 512 ops. Little passes a cut if to transfer all results that are made before
/// it and used after it, one by one, takes at most a tenth of the time in which the devices compute
/// 200 ops. Of all ways to cut, that is taken where fewest results pass and whose pieces are
/// nearest to 200 ops: half or twice as many count like a result more for each device.
///
/// @return ops of each piece by ascending id; one piece with all of them where the graph has up to
///         512 ops, or cannot be cut so. Cost O(512 * ops + edges).
[[nodiscard]] std::vector<std::vector<OpId>> graph_pieces(const PlacementProblem& problem);

}  // namespace berth::doppler
