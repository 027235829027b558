// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "case_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "berth/error.hpp"

#include "datasets/source_text.hpp"

namespace berth::launcher {
namespace {

/// Fields of one line; a field in double quotes may hold commas, "" stands for a quote.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

std::optional<std::size_t> column(const std::vector<std::string>& header, const char* name) {
  const auto found = std::find(header.begin(), header.end(), name);
  return found == header.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - header.begin()));
}

std::string find_graph(const std::string& graph,
                       const std::filesystem::path& beside,
                       std::span<const std::string> folders,
                       const std::string& place) {
  std::vector<std::filesystem::path> tried = {beside / graph};
  for (const std::string& folder : folders) {
    tried.push_back(std::filesystem::path(folder) / graph);
  }
  tried.emplace_back(graph);
  for (const auto& path : tried) {
    if (std::error_code ignored; std::filesystem::is_regular_file(path, ignored)) {
      return path.string();
    }
  }
  throw InputError(place + ": graph '" + graph + "' does not exist; looked beside the table, in " +
                   std::to_string(folders.size()) + " given folders and in the working directory");
}

template <class Number>
Number number(const std::string& text, const std::string& place, const char* expected) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw InputError(place + ": '" + text + "'; expected " + expected);
  }
  return value;
}

}  // namespace

std::vector<Case> read_cases(const std::string& file, std::span<const std::string> folders) {
  std::istringstream in(datasets::load_source(file).text);
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> header = fields_of(line);
  const auto graph_at = column(header, "graph");
  const auto devices_at = column(header, "devices");
  const auto optimum_at = column(header, "optimum");
  if (!graph_at || !devices_at) {
    throw InputError(file + ":1: header " + datasets::shown(line) +
                     "; expected the columns graph, devices and optionally optimum");
  }
  const std::filesystem::path beside = std::filesystem::path(file).parent_path();
  std::vector<Case> cases;
  for (std::size_t row = 2; std::getline(in, line); ++row) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() == 1 && fields[0].empty()) {
      continue;
    }
    const std::string place = file + ":" + std::to_string(row);
    if (fields.size() != header.size()) {
      throw InputError(place + ": " + std::to_string(fields.size()) + " fields; expected " +
                       std::to_string(header.size()) + " as in the header");
    }
    Case next;
    next.devices =
        number<std::uint32_t>(fields[*devices_at], place + ": devices", "a number of devices");
    if (next.devices == 0) {
      throw InputError(place + ": devices: '0'; expected at least 1");
    }
    if (optimum_at && !fields[*optimum_at].empty()) {
      next.optimum = number<double>(fields[*optimum_at], place + ": optimum", "a makespan");
      if (!std::isfinite(*next.optimum) || *next.optimum < 0.0) {
        throw InputError(place + ": optimum: '" + fields[*optimum_at] +
                         "'; expected a finite makespan >= 0");
      }
    }
    next.graph = find_graph(fields[*graph_at], beside, folders, place);
    cases.push_back(std::move(next));
  }
  if (cases.empty()) {
    throw InputError(file + ": no rows; expected at least one case");
  }
  return cases;
}

}  // namespace berth::launcher
