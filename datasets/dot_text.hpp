// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// Reads a weighted DOT digraph: the cost of a node or edge is its attribute Weight, weight, cost
/// or size, the first that is there; a node must have one, an edge without costs nothing. Ids are
/// the node names where these are exactly 0 .. n-1, else the order of first appearance. `label`
/// and `kind` name and classify an op. One unit is one second.
/// @throws InputError "file:line: found; expected".
[[nodiscard]] Graph read_dot(const SourceText& source, Logger& logger);

/// @throws InputError if the graph holds per-device times, eligibility, memory or bytes.
[[nodiscard]] std::string write_dot(const Graph& graph);

}  // namespace berth::datasets
