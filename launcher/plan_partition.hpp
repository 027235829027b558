// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "command_line.hpp"

namespace berth::launcher {

/// Declares the options of `berth plan GRAPH.json`, a layer graph to cut into stages.
void add_partition_options(CommandLine& line);

/// Whether a word of `berth plan` is a layer graph in Piper's or the maximum-load format.
[[nodiscard]] bool is_partition_file(const std::string& word);

/// @throws InputError if one of add_partition_options() was given for something else.
void refuse_partition_options(const CommandLine& line);

/// Cuts the graph of `file`; prints stages, times and memory, or JSON; with --out also a file.
/// @return the exit code. @throws SolverError if no plan fits, with the reason.
int plan_partition(const CommandLine& line, const std::string& file);

}  // namespace berth::launcher
