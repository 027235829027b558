// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "berth/problem.hpp"
#include "berth/rng.hpp"

namespace berth::doppler {

/// A problem as consecutive pieces (graph_pieces()), of which many may be equal.
struct Pieces {
  std::vector<std::vector<OpId>> ops;  ///< [pieces] by ascending id
  std::vector<std::size_t> which;      ///< [pieces] the part that each is
  /// Problems of their own: op i of a part is op ops[p][i] of each piece p that it is, and what
  /// comes from and goes to other pieces is left out.
  std::vector<std::shared_ptr<const PlacementProblem>> parts;
};

/// One piece, and no parts, where graph_pieces() finds no more. Cost as of that.
[[nodiscard]] Pieces pieces_of(const PlacementProblem& problem);

/// A placement of all pieces, and how many simulations of two pieces or less it took.
struct Joined {
  Placement placement;
  std::uint64_t simulations = 0;
};

/// Puts placements of parts together, from the first piece to the last. Each piece gets the
/// candidate, with its devices exchanged for others that are alike, that together with the piece
/// before ends first: alone equal candidates may chain well or badly, as which op a device runs
/// first depends on when the results of the piece before arrive.
/// @param candidates placements of each part, at least one; with an order each, or none at all.
/// @param most simulations, at least 0. Without any each piece gets its first candidate, its
/// devices
///        exchanged so that least is transferred from the pieces before.
[[nodiscard]] Joined join_pieces(const PlacementProblem& problem,
                                 const Pieces& pieces,
                                 std::span<const std::vector<Placement>> candidates,
                                 std::uint64_t most,
                                 const std::function<bool()>& late,
                                 Rng& rng);

}  // namespace berth::doppler
