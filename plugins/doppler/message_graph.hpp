// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/graph.hpp"

#include "edge_costs.hpp"
#include "encoder_input.hpp"

namespace berth::doppler {

/// What the arc v->u against an edge (u,v) carries: the edge's cost, or v's own output cost as in
/// the reference code.
enum class ReverseArc : std::uint8_t { kEdge, kOwn };

/// Fills the message-passing part of `input`: two arcs an edge, their features normalised over all
/// arcs, pairs sorted by (value, target). With two columns the second one is +1 along an edge and
/// -1 against it. O(edges log edges).
void fill_message_graph(const Graph& graph,
                        const MeanCosts& costs,
                        ReverseArc reverse,
                        std::size_t columns,
                        EncoderInput& input);

}  // namespace berth::doppler
