// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// Reads a Standard Task Graph file: the number of tasks without the two dummies, then a line
/// `id time predecessors id...` each; the dummies 0 and n+1 stay as ops of zero cost, edges
/// carry nothing, lines that start with '#' are comments. One unit is one second.
/// @throws InputError "file:line: found; expected".
[[nodiscard]] Graph read_stg(const SourceText& source, Logger& logger);

/// @throws InputError if the graph holds more than times and dependencies, or lacks the entry op 0
///         and the exit op n+1 of zero cost that the format demands.
[[nodiscard]] std::string write_stg(const Graph& graph);

}  // namespace berth::datasets
