// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/graph.hpp"
#include "berth/logger.hpp"

namespace berth::datasets {

/// Reads a graph file of any known format: told by its extension and first bytes. A path
/// "workload:..." is generated instead: see workloads/workload_word.hpp.
/// Warnings (merged edges, repeated names) go to `logger` once each.
/// @throws InputError "file:line: found; expected", for a missing file too.
[[nodiscard]] Graph read_graph(const std::filesystem::path& file, Logger& logger);

/// Names of the formats that write_graph() takes: "berth", "dot", "doppler", "stg", ...
[[nodiscard]] std::span<const std::string_view> writable_formats();

/// Writes atomically (temporary file, then rename). @throws InputError if the format cannot hold
/// the graph (naming what it would lose) or the file cannot be written.
void write_graph(const Graph& graph, const std::filesystem::path& file, std::string_view format);

/// Graph files behind command-line words: a file stands for itself, a folder for all graph files
/// in it (recursively, sorted by name). @throws InputError for a word that is neither.
[[nodiscard]] std::vector<std::filesystem::path> expand_graph_paths(
    std::span<const std::string> words);

}  // namespace berth::datasets
