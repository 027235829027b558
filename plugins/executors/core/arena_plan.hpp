// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/graph.hpp"

#include "execution_plan.hpp"
#include "reachability.hpp"

namespace berth::executors {

/// A place in its device's arena for the result of every task: an op's output on its device, a
/// transfer's copy on the destination.
struct ArenaPlan {
  std::vector<std::uint64_t> offset;  ///< [tasks] bytes, multiples of 64.
  std::vector<std::uint64_t> size;    ///< [devices] bytes.
};

/// Which memory a result may take over.
enum class Reuse : std::uint8_t {
  kAll,     ///< That of any result that is dead.
  kUnsent,  ///< Only of results that no transfer has read: where cores share memory, a line that
            ///< another core has read is slow to write, by a factor of ten on some hosts.
};

/// Plans arenas before anything runs. Two results share memory only if one is dead before the
/// other is born in every execution of the plan: all consumers of the one on its device precede
/// the other's op by paths of the graph. So reuse adds no dependency, and dispatch stays free.
/// Results of ops without successors are never overwritten. First fit in topological order.
///
/// @param output_bytes [ops]
/// @param reach null: no reuse.
/// Cost O(tasks of a device ^2 * consumers).
[[nodiscard]] ArenaPlan plan_arenas(const Graph& graph,
                                    const ExecutionPlan& plan,
                                    std::span<const std::uint64_t> output_bytes,
                                    const Reachability* reach,
                                    Reuse reuse = Reuse::kAll);

}  // namespace berth::executors
