// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/topology.hpp"

namespace berth::datasets {

/// A topology by preset ("uniform:4", "p100:4", "dgx1-v100", ...) or from a Berth topology JSON
/// file. A word that names an existing file is a file.
/// @throws InputError naming the nearest preset, or file, place, found and expected.
[[nodiscard]] Topology make_topology(std::string_view preset_or_file);

/// Writes Berth topology JSON, which make_topology() takes back. Atomic.
/// @throws InputError if the file cannot be created, RunError on a full disk.
void write_topology(const Topology& topology, const std::filesystem::path& file);

/// A preset as `berth options topologies` lists it.
struct TopologyPreset {
  std::string name;
  std::string summary;
};
[[nodiscard]] std::vector<TopologyPreset> topology_presets();

}  // namespace berth::datasets
