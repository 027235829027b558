// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "graph_file.hpp"

#include <algorithm>
#include <array>

#include "berth/config.hpp"
#include "berth/error.hpp"

#include "atomic_file.hpp"
#include "graph_formats.hpp"
#include "source_text.hpp"
#include "workloads/workload_word.hpp"

namespace berth::datasets {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHeadBytes = std::size_t{64} << 10U;

std::string known_formats() {
  std::string names;
  for (const GraphFormat& format : graph_formats()) {
    names += (names.empty() ? "" : ", ") + std::string(format.title);
  }
  return names;
}

}  // namespace

Graph read_graph(const fs::path& file, Logger& logger) {
  if (is_workload_word(file.string())) {
    return make_workload_of(file.string());
  }
  const SourceText source = load_source(file);
  const GraphFormat* const format = detect_format(source);
  if (format == nullptr) {
    throw InputError(source.place + ": unknown graph format; expected " + known_formats());
  }
  return format->read(source, logger);
}

std::span<const std::string_view> writable_formats() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const GraphFormat& format : graph_formats()) {
      if (format.write != nullptr) {
        names.push_back(format.name);
      }
    }
    return names;
  }();
  return kNames;
}

void write_graph(const Graph& graph, const fs::path& file, std::string_view format) {
  std::string names;
  for (const GraphFormat& known : graph_formats()) {
    if (known.write == nullptr) {
      continue;
    }
    if (known.name == format) {
      write_atomically(file, known.write(graph));
      return;
    }
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  throw InputError("format " + shown(format) + "; expected one of " + names);
}

std::vector<fs::path> expand_graph_paths(std::span<const std::string> words) {
  std::vector<fs::path> files;
  for (const std::string& word : words) {
    std::error_code ignored;
    if (is_workload_word(word)) {
      files.emplace_back(word);
      continue;
    }
    if (!fs::is_directory(word, ignored)) {
      if (!fs::exists(word, ignored)) {
        throw InputError(word + ": no such file or folder; expected a graph file or a folder");
      }
      files.emplace_back(word);
      continue;
    }
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(word)) {
      if (entry.is_regular_file() &&
          detect_format(load_head(entry.path(), kHeadBytes)) != nullptr) {
        found.push_back(entry.path());
      }
    }
    if (found.empty()) {
      throw InputError(word + ": no graph file in this folder; expected " + known_formats());
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace berth::datasets
