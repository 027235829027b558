// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "berth/operator_scheduler.hpp"

namespace berth::datasets {

/// The operators of one pass of a layer and what they belong to.
struct NamedOperators {
  std::string model;
  std::uint32_t tensor = 1;
  std::string part;       ///< "embedding", "layer", "head".
  std::string direction;  ///< "fwd" or "bwd".
  OperatorGraph graph;    ///< Named "model t1 layer fwd".
};

/// Reads operator graphs, one JSON object a line (docs/planning.md has the fields): model, t, part,
/// direction, tc_cores, vc_cores, ops with id, name, core (TC, VC, TCandVC), one_core_us,
/// all_cores_us, and edges between ids. Ids are 0, 1, ... along the edges.
/// @throws InputError "file: line: path: found; expected".
[[nodiscard]] std::vector<NamedOperators> read_operator_file(const std::filesystem::path& file);

}  // namespace berth::datasets
