// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth::launcher {

/// One row of a case table: a graph with its own device count.
struct Case {
  std::string graph;  ///< A path that exists.
  std::uint32_t devices = 0;
  std::optional<double> optimum;  ///< Known optimal makespan in the graph's time units.
};

/// Reads a CSV with a header line naming the columns graph, devices and optionally optimum, in any
/// order, other columns ignored. A relative graph path is looked up beside the CSV, then in each
/// of `folders`, then in the working directory.
/// @throws InputError "file:line: found; expected".
[[nodiscard]] std::vector<Case> read_cases(const std::string& file,
                                           std::span<const std::string> folders);

}  // namespace berth::launcher
