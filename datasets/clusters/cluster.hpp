// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "berth/network_levels.hpp"
#include "berth/roofline.hpp"
#include "berth/strategy_problem.hpp"

namespace berth::datasets {

/// Devices and the network between them, as a planner needs them.
struct Cluster {
  std::string name;
  NetworkLevels network;
  std::vector<DeviceClass> classes;
  std::vector<std::uint32_t> class_of_device;  ///< Empty: all of class 0.
  std::vector<Roofline> rooflines;             ///< [classes]
};

/// A preset `<accelerator>-<topology>-<devices>`, or a JSON file (a word that ends in .json).
/// Accelerators: p100, v100, t4, a100, h100, h200, b200, tpuv4, rtx3090, rtx4090, k80.
/// Topologies: node, fattree, spineleaf, spineleaf4, dgx, rail, nvl72, torus2d, torus3d; README.md
/// beside this file says what each is. @throws InputError naming the nearest word.
[[nodiscard]] Cluster read_cluster(const std::string& word);

/// The free-form JSON; its fields are in README.md. @throws InputError naming file and field.
[[nodiscard]] Cluster read_cluster_file(const std::filesystem::path& file);

/// One line per topology, for messages and help.
[[nodiscard]] std::string topology_help();

/// Appends a class for an accelerator of the catalogue. @throws InputError naming the nearest.
std::uint32_t add_device_class(Cluster& cluster, const std::string& accelerator);

}  // namespace berth::datasets
