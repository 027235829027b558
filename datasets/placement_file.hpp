// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "berth/logger.hpp"
#include "berth/placement.hpp"
#include "berth/problem.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// Reads placements of one problem: Berth placement JSON (one), or text with one comma-separated
/// line of device ids in op order per placement.
/// @throws InputError naming file, line or op, what was found and what was expected; a placement
///         JSON made for another graph (by hash) is refused, and one made for a topology with
///         another number of devices. One made for other devices of that number is taken over with
///         a warning, as far as they can run their ops.
[[nodiscard]] std::vector<Placement> read_placements(const std::filesystem::path& file,
                                                     const PlacementProblem& problem,
                                                     Logger& logger);

/// The same from a text in memory.
[[nodiscard]] std::vector<Placement> parse_placements(const SourceText& source,
                                                      const PlacementProblem& problem,
                                                      Logger& logger);

/// What stands beside a placement in its file.
struct PlacementNote {
  std::string policy;
  double makespan = 0.0;  ///< Time units of the problem.
  std::uint64_t seed = 0;
};

/// Writes Berth placement JSON: graph and topology with hashes, execution, makespan (units and
/// seconds), and every op by id and name with its device. Atomic. @throws RunError on a full disk.
void write_placement(const Placement& placement,
                     const PlacementProblem& problem,
                     const PlacementNote& note,
                     const std::filesystem::path& file);

}  // namespace berth::datasets
