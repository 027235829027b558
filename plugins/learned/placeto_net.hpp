// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "placement_net.hpp"

namespace berth::learned {

struct PlacetoSizes {
  std::size_t columns = 2;    ///< Static columns of an op.
  std::size_t rounds = 3;     ///< Of message passing, in each direction.
  std::size_t head = 32;      ///< Hidden width of the head.
  bool every_step = true;     ///< Message passing at every step; otherwise once an episode.
  bool sees_parallel = true;  ///< The set of ops parallel to the current one counts.
};

/// The network of Placeto (Addanki et al. 2019, arXiv 1906.08879), one pass over the ops.
///
/// A row of an op: static columns, its device's code, current, visited: f columns. t = FNN(row);
/// `rounds` times y <- t + ReLU(U(sum over sources of ReLU(P(y)))), along edges and against them;
/// both side by side are the op's embedding, 2f. Three aggregators of the same form gather the
/// current op's parents, children and parallel ops (neither ancestor nor descendant); they and the
/// op's own embedding, 8f, give FNN(head -> kDeviceScore), from which device_logits() has the
/// logits.
///
/// Once an episode: messages pass over the static columns alone; codes of devices, current ones at
/// each step, are appended to the embeddings that the aggregators and the head read.
std::unique_ptr<PlacementNet> make_placeto_net(const PlacetoSizes& sizes);

}  // namespace berth::learned
