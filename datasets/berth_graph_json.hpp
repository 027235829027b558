// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

inline constexpr int kBerthGraphVersion = 1;

/// Reads Berth graph JSON (FORMATS.md) as a stream: memory is the text and the graph, no tree.
/// @throws InputError "file:/ops/3/flops: found; expected"; "file:line" where it is no JSON.
[[nodiscard]] Graph read_berth_graph(const SourceText& source, Logger& logger);

/// Holds every graph; reading it back gives the same hash.
[[nodiscard]] std::string write_berth_graph(const Graph& graph);

}  // namespace berth::datasets
