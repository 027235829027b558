// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// One cost unit of a DOPPLER file in seconds: 1e10 units are one millisecond.
inline constexpr double kDopplerSecondsPerUnit = 1e-13;

/// Reads the text format of the public DOPPLER graphs.
///
/// Line 1: number of nodes, inputs included. Line 2: ids of the input nodes, of which only the
/// count matters. Lines 3 and 4: sources and destinations of the edges, renumbered over the nodes
/// that are no inputs. Then one line `comp,comm[,type]` a node. An edge's size is the comm of its
/// source; comm is kept as the op's output_bytes too, so that sinks do not lose theirs.
///
/// @throws InputError "file:line: found; expected".
[[nodiscard]] Graph read_doppler_text(const SourceText& source, Logger& logger);

/// @throws InputError if the graph holds what the format cannot: physical or fractional costs,
///         per-device times, eligibility, memory, or edges of one op that differ in size.
[[nodiscard]] std::string write_doppler_text(const Graph& graph);

}  // namespace berth::datasets
