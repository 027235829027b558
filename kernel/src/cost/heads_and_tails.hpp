// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/cost_table.hpp"
#include "berth/graph.hpp"

namespace berth::internal {

/// For each op, times that no placement undercuts: `head` before its start, `tail` between its end
/// and the end of everything.
struct HeadsAndTails {
  std::vector<double> head;  ///< [ops]
  std::vector<double> tail;  ///< [ops]
  double all = 0.0;          ///< Least time for everything, by what ends or begins it.
};

/// Inputs of an op either cross devices, or share its device and its producers run there one after
/// the other (on `streams` lanes). If the producer with the k-th latest arrival is the first that
/// crosses, the k-1 later ones share the device: the least over k bounds the start (after Jung,
/// Kirousis and Spirakis, SPAA 1989). Producers that no device of the op can run always cross.
/// Whatever crosses, all inputs are over before the op starts, on devices * streams lanes. The same
/// downwards for tails.
///
/// @param least [ops] least compute time.
/// @param whole all times are whole numbers. Cost O(ops + edges * log), with restricted ops
///        O(edges * devices).
[[nodiscard]] HeadsAndTails heads_and_tails(const Graph& graph,
                                            const CostTable& costs,
                                            const std::vector<double>& least,
                                            double streams,
                                            bool whole);

}  // namespace berth::internal
