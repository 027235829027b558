// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/units.hpp"

#include "cluster.hpp"
#include "datasets/models/json_fields.hpp"

namespace berth::datasets {
namespace {

template <class Parse>
double quantity(const JsonField& field, Parse parse) {
  const std::string text = field.text();
  try {
    return parse(text).value;
  } catch (const InputError& error) {
    rethrow_with_context(error, field.place());
  }
}

// A quantity that nothing can be done without.
template <class Parse>
double positive(const JsonField& field, Parse parse) {
  const double value = quantity(field, parse);
  if (!(value > 0.0)) {
    field.fail("more than zero");
  }
  return value;
}

NetworkLevel read_level(const JsonField& field) {
  NetworkLevel level;
  level.name = field.has("name") ? field.at("name").text() : field.place();
  level.bandwidth_bytes_per_second = positive(field.at("bandwidth"), parse_bandwidth);
  level.latency_seconds = quantity(field.at("latency"), parse_seconds);
  if (field.has("uplink")) {
    level.uplink_bytes_per_second = positive(field.at("uplink"), parse_bandwidth);
  }
  if (field.has("parallel_links")) {
    level.parallel_links = static_cast<std::uint32_t>(field.at("parallel_links").integer(1, 64));
  }
  return level;
}

void check_keys(const JsonField& field, const std::vector<std::string>& known) {
  for (const auto& [key, value] : field.object().json().items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const std::string near = nearest_name(key, known);
      throw InputError(field.shown_place() + ": unknown key '" + key + "'" +
                       (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
  }
}

// A class from the catalogue, with what the file overrides.
std::uint32_t read_class(Cluster& cluster,
                         const JsonField& field,
                         std::map<std::string, std::uint32_t>& known) {
  const std::string text = field.json().dump();
  if (const auto found = known.find(text); found != known.end()) {
    return found->second;
  }
  const std::string name = field.at("accelerator").text();
  std::uint32_t index = 0;
  try {
    index = add_device_class(cluster, name);
  } catch (const InputError& error) {
    rethrow_with_context(error, field.at("accelerator").place());
  }
  if (field.has("memory")) {
    cluster.classes[index].memory_bytes = positive(field.at("memory"), parse_bytes);
  }
  if (field.has("half_peak")) {
    cluster.rooflines[index].peak_flops_per_second = positive(field.at("half_peak"), parse_rate);
  }
  if (field.has("kernel_overhead")) {
    cluster.rooflines[index].kernel_overhead_seconds =
        quantity(field.at("kernel_overhead"), parse_seconds);
  }
  if (field.has("price_per_hour")) {
    cluster.classes[index].price_per_hour = field.at("price_per_hour").number(0.0);
  }
  known.emplace(text, index);
  return index;
}

}  // namespace

Cluster read_cluster_file(const std::filesystem::path& file) {
  const nlohmann::json json = parse_json_file(file);
  const JsonField root(json, file.string() + ": ");
  check_keys(root, {"name", "nodes", "levels", "units_per_level"});
  Cluster cluster;
  cluster.name = root.has("name") ? root.at("name").text() : file.stem().string();

  std::vector<std::uint32_t> node_of;
  std::map<std::string, std::uint32_t> known;
  std::uint32_t nodes = 0;
  const JsonField groups = root.at("nodes").array();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const JsonField group = groups.at(i);
    check_keys(group,
               {"count",
                "devices",
                "accelerator",
                "memory",
                "half_peak",
                "kernel_overhead",
                "price_per_hour"});
    nlohmann::json kind = group.json();
    kind.erase("count");
    kind.erase("devices");
    const std::uint32_t index = read_class(cluster, JsonField(kind, group.place()), known);
    const std::int64_t count = group.has("count") ? group.at("count").integer(1, 100'000) : 1;
    const std::int64_t devices = group.at("devices").integer(1, 100'000);
    for (std::int64_t n = 0; n < count; ++n, ++nodes) {
      for (std::int64_t d = 0; d < devices; ++d) {
        node_of.push_back(nodes);
        cluster.class_of_device.push_back(index);
      }
    }
  }
  if (node_of.empty()) {
    groups.fail("at least one group of nodes");
  }
  const JsonField levels = root.at("levels").array();
  std::vector<NetworkLevel> parsed;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    check_keys(levels.at(l), {"name", "bandwidth", "latency", "uplink", "parallel_links"});
    parsed.push_back(read_level(levels.at(l)));
  }
  // Level 0 is a node; units_per_level says how many nodes, then units, each next level holds.
  std::vector<std::vector<std::uint32_t>> unit_of = {node_of};
  const std::size_t between = levels.size() > 1 ? levels.size() - 2 : 0;
  if (between == 0 && root.has("units_per_level") &&
      root.at("units_per_level").array().size() > 0) {
    root.at("units_per_level").fail("none: no level lies between node and top");
  }
  if (between > 0) {
    const JsonField sizes = root.at("units_per_level").array();
    if (sizes.size() != between) {
      sizes.fail(std::to_string(between) + " numbers, for the levels between node and top");
    }
    std::uint64_t size = 1;
    for (std::size_t l = 0; l < between; ++l) {
      size *= static_cast<std::uint64_t>(sizes.at(l).integer(1, 100'000));
      std::vector<std::uint32_t> unit;
      for (const std::uint32_t node : node_of) {
        unit.push_back(static_cast<std::uint32_t>(node / size));
      }
      unit_of.push_back(std::move(unit));
    }
  }
  if (levels.size() > 1) {
    unit_of.emplace_back(node_of.size(), 0U);
  }
  try {
    cluster.network = NetworkLevels(std::move(parsed), std::move(unit_of));
  } catch (const InputError& error) {
    rethrow_with_context(error, file.string());
  }
  return cluster;
}

}  // namespace berth::datasets
