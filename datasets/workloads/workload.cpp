// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "workload.hpp"

#include <array>
#include <vector>

#include "berth/config.hpp"
#include "berth/error.hpp"

#include "../source_text.hpp"

namespace berth::datasets {
namespace {

struct Row {
  std::string_view name;
  Graph (*make)(const WorkloadSpec&);
};

constexpr std::array kWorkloads = {Row{"chain-mm", make_chain_mm},
                                   Row{"ffnn", make_ffnn},
                                   Row{"llama-block", make_llama_block},
                                   Row{"llama-layer", make_llama_layer},
                                   Row{"llama-model", make_llama_model}};

}  // namespace

std::span<const std::string_view> workload_names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const Row& row : kWorkloads) {
      names.push_back(row.name);
    }
    return names;
  }();
  return kNames;
}

Graph make_workload(const WorkloadSpec& spec) {
  constexpr std::size_t kMostDevices = 1024;
  if (spec.devices == 0 || spec.devices > kMostDevices) {
    throw InputError("workload '" + spec.name + "': " + std::to_string(spec.devices) +
                     " devices; expected 1 to 1024");
  }
  std::vector<std::string> names;
  for (const Row& row : kWorkloads) {
    if (row.name == spec.name) {
      return row.make(spec);
    }
    names.emplace_back(row.name);
  }
  const std::string near = nearest_name(spec.name, names);
  throw InputError("unknown workload " + shown(spec.name) + "; " +
                   (near.empty()
                        ? "expected chain-mm, ffnn, llama-block, llama-layer or llama-model"
                        : "did you mean '" + near + "'?"));
}

Sharding::Sharding(const WorkloadSpec& spec, const Table& table) {
  std::vector<std::string> names;
  for (const auto& [operation, parts] : table) {
    parts_[operation] = parse_parts(parts);
    names.push_back(operation);
  }
  for (const auto& [operation, parts] : spec.shards) {
    if (table.find(operation) == table.end()) {
      std::string all;
      for (const std::string& name : names) {
        all += (all.empty() ? "" : ", ") + name;
      }
      throw InputError("sharding of " + shown(operation) + ": no such operation in '" + spec.name +
                       "'; expected one of " + all);
    }
    parts_[operation] = parse_parts(parts);
  }
}

const Parts& Sharding::of(const std::string& operation) const {
  const auto found = parts_.find(operation);
  BERTH_CHECK(found != parts_.end(), "operation without sharding: " + operation);
  return found->second;
}

std::map<char, double> extents_of(const WorkloadSpec& spec, std::map<char, double> published) {
  for (const auto& [axis, elements] : spec.extents) {
    const auto found = published.find(axis);
    if (found == published.end()) {
      std::string all;
      for (const auto& [name, count] : published) {
        all += (all.empty() ? "" : ", ") + std::string(1, name);
      }
      throw InputError("extents: no axis '" + std::string(1, axis) + "' in '" + spec.name +
                       "'; expected some of " + all);
    }
    found->second = static_cast<double>(elements);
  }
  return published;
}

DeviceGrid device_grid(std::size_t devices, std::size_t most_columns) {
  DeviceGrid grid{devices, 1};
  for (std::size_t q = 1; q * q <= devices && q <= most_columns; ++q) {
    if (devices % q == 0) {
      grid = {devices / q, q};
    }
  }
  return grid;
}

}  // namespace berth::datasets
