// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cluster_file.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "csv_file.hpp"
#include "strict_json.hpp"

namespace berth::datasets {
namespace {

using nlohmann::json;

constexpr std::uint32_t kMostGpus = 1000000;

[[noreturn]] void refuse_part(const std::string& part) {
  throw InputError("cluster: '" + part +
                   "'; expected type:accelerators/per-machine, e.g. v100:20/4, or a file");
}

std::uint32_t whole(const std::string& part, std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > kMostGpus) {
    refuse_part(part);
  }
  return value;
}

struct Pool {
  std::string type;
  std::uint32_t total = 0;
  std::uint32_t per_machine = 1;
};

Cluster from_line(std::string_view line) {
  std::vector<Pool> pools;
  std::vector<std::string> types;
  for (const std::string& part : split(line, ',')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos || colon == 0) {
      refuse_part(part);
    }
    const std::string_view numbers = std::string_view(part).substr(colon + 1);
    const std::size_t slash = numbers.find('/');
    Pool pool{part.substr(0, colon), whole(part, numbers.substr(0, slash)), 1};
    if (slash != std::string_view::npos) {
      pool.per_machine = whole(part, numbers.substr(slash + 1));
    }
    if (pool.per_machine == 0 || pool.total % pool.per_machine != 0) {
      throw InputError("cluster: '" + part + "': " + std::to_string(pool.total) +
                       " accelerators do not fill machines of " + std::to_string(pool.per_machine) +
                       "; expected a multiple");
    }
    if (pool.total > 0) {
      types.push_back(pool.type);
      pools.push_back(pool);
    }
  }
  std::vector<Machine> machines;
  for (std::size_t t = 0; t < pools.size(); ++t) {
    for (std::uint32_t m = 0; m < pools[t].total / pools[t].per_machine; ++m) {
      Machine machine{pools[t].type + "-" + std::to_string(m),
                      std::vector<std::uint32_t>(types.size(), 0)};
      machine.gpus[t] = pools[t].per_machine;
      machines.push_back(std::move(machine));
    }
  }
  return {types, machines};
}

std::uint32_t count_of(const std::string& place, const json& value) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < 0 ||
      value.get<std::int64_t>() > kMostGpus) {
    throw InputError(place + ": " + value.dump() + "; expected a whole number from 0 to 1000000");
  }
  return value.get<std::uint32_t>();
}

const json& machines_of(const std::string& file, const json& document) {
  if (!document.is_object() || document.value("format", json()) != "berth.cluster/1" ||
      !document.contains("machines") || !document["machines"].is_array()) {
    throw InputError(
        file + ": no cluster; expected {\"format\": \"berth.cluster/1\", \"machines\": [...]}");
  }
  for (const auto& [key, value] : document.items()) {
    if (key != "format" && key != "machines") {
      throw InputError(file + ":/" + key + ": unknown key; expected format and machines");
    }
  }
  return document["machines"];
}

Cluster from_file(const std::string& file) {
  std::string text;
  for (const std::string& line : read_lines(file)) {
    text += line + "\n";
  }
  const json document = parse_strict_json(file, text, "berth.cluster/1");
  struct Row {
    std::string name;
    std::vector<std::pair<std::size_t, std::uint32_t>> gpus;
    std::uint32_t count = 1;
  };
  std::vector<std::string> types;
  std::vector<Row> rows;
  std::uint64_t total = 0;
  for (const json& entry : machines_of(file, document)) {
    const std::string place = file + ":/machines/" + std::to_string(rows.size());
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string() ||
        !entry.contains("gpus") || !entry["gpus"].is_object()) {
      throw InputError(place + ": " + entry.dump() +
                       "; expected {\"name\": \"a\", \"gpus\": {\"v100\": 4}}");
    }
    Row row;
    for (const auto& [key, value] : entry.items()) {
      if (key == "name") {
        row.name = value.get<std::string>();
      } else if (key == "count") {
        row.count = count_of(place + "/count", value);
      } else if (key != "gpus") {
        throw InputError(place + "/" + key + ": unknown key; expected name, gpus or count");
      }
    }
    for (const auto& [type, value] : entry["gpus"].items()) {
      const auto found = std::find(types.begin(), types.end(), type);
      const auto at = static_cast<std::size_t>(found - types.begin());
      if (found == types.end()) {
        types.push_back(type);
      }
      row.gpus.emplace_back(at, count_of(place + "/gpus/" + type, value));
      total += std::uint64_t{row.count} * row.gpus.back().second;
    }
    if (total > kMostGpus) {
      throw InputError(place + ": " + std::to_string(total) +
                       " accelerators so far; expected at most 1000000 in all");
    }
    rows.push_back(std::move(row));
  }
  std::vector<Machine> machines;
  for (const Row& row : rows) {
    for (std::uint32_t i = 0; i < row.count; ++i) {
      Machine machine{row.count == 1 ? row.name : row.name + "-" + std::to_string(i),
                      std::vector<std::uint32_t>(types.size(), 0)};
      for (const auto& [type, count] : row.gpus) {
        machine.gpus[type] = count;
      }
      machines.push_back(std::move(machine));
    }
  }
  return {types, machines};
}

}  // namespace

Cluster make_cluster(std::string_view line_or_file) {
  const std::filesystem::path path{std::string(line_or_file)};
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) ? from_file(path.string())
                                                         : from_line(line_or_file);
}

}  // namespace berth::datasets
