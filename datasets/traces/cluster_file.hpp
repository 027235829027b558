// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "berth/cluster.hpp"

namespace berth::datasets {

/// A cluster from one line, "v100:20/4,p100:20/4,k80:20/4" (accelerators / per machine), or from a
/// Berth JSON file {"format": "berth.cluster/1", "machines": [{"name": "a", "gpus": {"v100": 4},
/// "count": 5}, ...]}. A word that names an existing file is a file. Types keep the order of
/// their first mention; a count of 0 leaves the type out.
/// @throws InputError naming the part, what was found and what was expected.
[[nodiscard]] Cluster make_cluster(std::string_view line_or_file);

}  // namespace berth::datasets
