// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/units.hpp"

#include "cluster.hpp"
#include "datasets/accelerators.hpp"
#include "datasets/models/json_fields.hpp"

namespace berth::datasets {
namespace {

// A node of the catalogue in plain numbers.
struct Node {
  std::string accelerator;
  std::string link;
  double bandwidth;  // bytes per second and direction, as a collective sees them
  double latency_seconds;
  double nic_bandwidth;  // of the network card that goes with one device
};

constexpr std::array kTopologies = {
    "node", "fattree", "spineleaf", "spineleaf4", "dgx", "rail", "nvl72", "torus2d", "torus3d"};
constexpr std::uint32_t kPerNode = 8;
constexpr std::uint32_t kPerRack = 72;

double switch_seconds() {
  return parse_seconds(link_rate("switch-hop").latency).value;
}

struct Shape {
  std::vector<NetworkLevel> levels;
  std::vector<std::uint32_t> sizes;  // units per level; the last may be partly filled
};

NetworkLevel node_level(const Node& link) {
  return {link.link, link.bandwidth, link.latency_seconds, 0.0, 1};
}

// A network of `nic` per device behind switches: 4 nodes under a leaf, all leaves under a spine.
// `oversubscription` divides what a leaf may send up.
Shape two_tier(const Node& link, double oversubscription) {
  Shape shape;
  const double nic = link.nic_bandwidth;
  const double leaf_uplink = 4.0 * kPerNode * nic / oversubscription;
  shape.levels = {node_level(link),
                  {"leaf", nic, link.latency_seconds + switch_seconds(), kPerNode * nic, 1},
                  {"spine", nic, link.latency_seconds + 3 * switch_seconds(), leaf_uplink, 1}};
  shape.sizes = {kPerNode, 4, 0};
  return shape;
}

// Rail-optimised pods: NVSwitch node, 32 nodes on eight rails (one switch hop), then a core.
Shape pods(const Node& link) {
  Shape shape;
  const double nic = link.nic_bandwidth;
  shape.levels = {node_level(link),
                  {"rail", nic, link.latency_seconds + switch_seconds(), 0.0, 1},
                  {"core", nic, link.latency_seconds + 3 * switch_seconds(), 0.0, 1}};
  shape.sizes = {kPerNode, 32, 0};
  return shape;
}

// Rails alone (Wang et al. 2023, "How to build low-cost networks for large language models"):
// devices of equal number in their node share a switch, there is no core; other pairs go through a
// node.
Shape rails(const Node& link) {
  const double seconds = link.latency_seconds + switch_seconds();
  return {{node_level(link), {"rail", link.nic_bandwidth, seconds, 0.0, 1}}, {kPerNode, 0}};
}

// NVSwitch racks of 72 devices (NVIDIA GB200 NVL72 data sheet, 2024), then a leaf-spine core.
Shape racks(const Node& link) {
  const double seconds = link.latency_seconds + 3 * switch_seconds();
  return {{node_level(link), {"core", link.nic_bandwidth, seconds, 0.0, 1}}, {kPerRack, 0}};
}

// Near-equal sides whose product is the device count, largest last.
std::vector<std::uint32_t> sides(std::uint32_t devices, int dimensions) {
  std::vector<std::uint32_t> result;
  for (int rest = dimensions; rest > 1; --rest) {
    auto side = static_cast<std::uint32_t>(std::floor(std::pow(devices, 1.0 / rest) + 1e-9));
    while (side > 1 && devices % side != 0) {
      --side;
    }
    result.push_back(std::max(side, 1U));
    devices /= std::max(side, 1U);
  }
  result.push_back(devices);
  return result;
}

Shape torus(const Node& link, std::uint32_t devices, int dimensions) {
  Shape shape;
  constexpr std::array kAxes = {"torus-x", "torus-y", "torus-z"};
  shape.sizes = sides(devices, dimensions);
  for (std::size_t axis = 0; axis < shape.sizes.size(); ++axis) {
    // A message to the far side takes half the ring, hop by hop.
    const double hops = std::max(1.0, shape.sizes[axis] / 2.0);
    shape.levels.push_back({kAxes[axis], link.bandwidth, hops * link.latency_seconds, 0.0, 2});
  }
  return shape;
}

NetworkLevels fill(const Shape& shape, std::uint32_t devices) {
  std::vector<std::vector<std::uint32_t>> unit_of(shape.levels.size());
  std::uint64_t size = 1;
  for (std::size_t l = 0; l < shape.levels.size(); ++l) {
    size = shape.sizes[l] == 0 ? devices : size * shape.sizes[l];
    for (std::uint32_t d = 0; d < devices; ++d) {
      unit_of[l].push_back(l + 1 == shape.levels.size() ? 0 : static_cast<std::uint32_t>(d / size));
    }
  }
  return {shape.levels, std::move(unit_of)};
}

[[noreturn]] void refuse(const std::string& word, const std::string& what) {
  refuse_file_without_ending(word);
  throw InputError("unknown cluster '" + word + "': " + what +
                   "; expected for example h100-spineleaf-512, or a JSON file; " + topology_help());
}

Node find_link(const std::string& word, const std::string& name) {
  std::vector<std::string> names;
  for (const NodeLink& known : node_links()) {
    if (name == known.name) {
      return {std::string(known.accelerator),
              std::string(known.link),
              parse_bandwidth(known.bandwidth).value,
              parse_seconds(known.latency).value,
              parse_bandwidth(known.network).value};
    }
    names.emplace_back(known.name);
  }
  const std::string near = nearest_name(name, names);
  refuse(word,
         "no accelerator '" + name + "'" + (near.empty() ? "" : ", did you mean '" + near + "'?"));
}

Shape find_shape(const std::string& word,
                 const std::string& name,
                 const Node& link,
                 std::uint32_t devices) {
  if (name == "node") {
    return {{node_level(link)}, {devices}};
  }
  if (name == "fattree") {
    return two_tier(link, 1.0);
  }
  if (name == "spineleaf") {
    return two_tier(link, 2.0);
  }
  if (name == "spineleaf4") {
    return two_tier(link, 4.0);
  }
  if (name == "dgx") {
    return pods(link);
  }
  if (name == "rail") {
    return rails(link);
  }
  if (name == "nvl72") {
    return racks(link);
  }
  if (name == "torus2d" || name == "torus3d") {
    return torus(link, devices, name == "torus2d" ? 2 : 3);
  }
  const std::vector<std::string> names(kTopologies.begin(), kTopologies.end());
  const std::string near = nearest_name(name, names);
  refuse(word,
         "no topology '" + name + "'" + (near.empty() ? "" : ", did you mean '" + near + "'?"));
}

}  // namespace

std::string topology_help() {
  return "topologies: node, fattree, spineleaf (leaf uplinks 2:1), spineleaf4 (4:1), dgx (NVSwitch "
         "nodes, rails, core), rail (no core), nvl72 (NVSwitch racks), torus2d, torus3d";
}

std::uint32_t add_device_class(Cluster& cluster, const std::string& accelerator) {
  const DeviceSpec device = make_device(accelerator, accelerator);
  for (const Accelerator& known : accelerators()) {
    if (known.name != accelerator) {
      continue;
    }
    DeviceClass device_class;
    device_class.name = accelerator;
    device_class.memory_bytes = device.memory.value;
    device_class.memory_bytes_per_second = device.memory_bandwidth.value;
    device_class.price_per_hour = known.price_per_hour;
    Roofline roofline;
    roofline.peak_flops_per_second = parse_rate(known.half_peak).value;
    roofline.memory_bytes_per_second = device.memory_bandwidth.value;
    roofline.kernel_overhead_seconds = device.launch_overhead.value;
    cluster.classes.push_back(device_class);
    cluster.rooflines.push_back(roofline);
  }
  return static_cast<std::uint32_t>(cluster.classes.size() - 1);
}

Cluster read_cluster(const std::string& word) {
  if (word.size() > 5 && word.substr(word.size() - 5) == ".json") {
    return read_cluster_file(word);
  }
  const std::size_t first = word.find('-');
  const std::size_t last = word.rfind('-');
  if (first == std::string::npos || last == first) {
    refuse(word, "not of the form accelerator-topology-devices");
  }
  const std::string digits = word.substr(last + 1);
  if (digits.empty() || digits.size() > 6 ||
      digits.find_first_not_of("0123456789") != std::string::npos || std::stoul(digits) == 0) {
    refuse(word, "'" + digits + "' is no device count from 1 to 999999");
  }
  const auto devices = static_cast<std::uint32_t>(std::stoul(digits));
  const Node link = find_link(word, word.substr(0, first));
  const Shape shape = find_shape(word, word.substr(first + 1, last - first - 1), link, devices);
  Cluster cluster;
  cluster.name = word;
  cluster.network = fill(shape, devices);
  add_device_class(cluster, link.accelerator);
  return cluster;
}

}  // namespace berth::datasets
