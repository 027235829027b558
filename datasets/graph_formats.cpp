// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "graph_formats.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "berth_graph_json.hpp"
#include "doppler_text.hpp"
#include "dot_text.hpp"
#include "fajsp_text.hpp"
#include "hetero_table.hpp"
#include "jobshop_text.hpp"
#include "msr_fiddle_json.hpp"
#include "numbers.hpp"
#include "stg_text.hpp"
#include "wfformat_json.hpp"

namespace berth::datasets {
namespace {

constexpr std::array kFormats = {
    GraphFormat{"berth", "Berth graph JSON", read_berth_graph, write_berth_graph},
    GraphFormat{"doppler", "DOPPLER text", read_doppler_text, write_doppler_text},
    GraphFormat{"stg", "STG", read_stg, write_stg},
    GraphFormat{"dot", "weighted DOT", read_dot, write_dot},
    GraphFormat{"hetero", "table of heterogeneous times", read_hetero_table, nullptr},
    GraphFormat{"fajsp", "FAJSP text", read_fajsp, nullptr},
    GraphFormat{"jobshop", "JSPLIB job-shop", read_jobshop, nullptr},
    GraphFormat{"msr-fiddle", "MSR-Fiddle JSON", read_msr_fiddle, nullptr},
    GraphFormat{"wfformat", "WfFormat JSON", read_wfformat, nullptr},
};

const GraphFormat* by_name(std::string_view name) {
  const auto* const found = std::find_if(
      kFormats.begin(), kFormats.end(), [&](const auto& format) { return format.name == name; });
  return found == kFormats.end() ? nullptr : found;
}

/// Listens to a JSON text until a top-level key tells which format it is.
class KeyListener final : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::string_view format;

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(std::int64_t /*value*/) override { return true; }
  bool number_unsigned(std::uint64_t /*value*/) override { return true; }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool string(std::string& value) override {
    if (depth_ == 1 && key_ == "format") {
      format = value == "berth.graph" ? "berth" : "";
      return false;
    }
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t /*size*/) override { return enter(); }
  bool end_array() override { return leave(); }
  bool key(std::string& name) override {
    if (depth_ != 1) {
      return true;
    }
    key_ = name;
    if (name == "maxFPGAs" || name == "maxCPUs" || name == "maxSizePerFPGA") {
      format = "msr-fiddle";
    } else if (name == "schemaVersion" || name == "workflow") {
      format = "wfformat";
    } else if (name == "costs" || name == "ops" || name == "seconds_per_unit") {
      format = "berth";
    }
    return format.empty();
  }
  bool parse_error(std::size_t /*position*/,
                   const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    return false;
  }

 private:
  bool enter() {
    ++depth_;
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  std::string key_;
};

const GraphFormat* detect_json(std::string_view text) {
  KeyListener listener;
  nlohmann::json::sax_parse(text.begin(), text.end(), &listener);
  return by_name(listener.format);
}

const GraphFormat* detect_integers(std::string_view text) {
  LineReader lines(text);
  if (!lines.next_content()) {
    return nullptr;
  }
  const auto tokens = split(lines.line(), " \t,");
  if (!std::all_of(tokens.begin(), tokens.end(), [](std::string_view token) {
        return parse_count(token).has_value();
      })) {
    return nullptr;
  }
  switch (tokens.size()) {
    case 1:
      return by_name(text.find(',') != std::string_view::npos || text.size() < 16 ? "doppler"
                                                                                  : "stg");
    case 2:
      return by_name("jobshop");
    case 3:
      return by_name("fajsp");
    default:
      return nullptr;
  }
}

}  // namespace

std::span<const GraphFormat> graph_formats() {
  return kFormats;
}

const GraphFormat* detect_format(const SourceText& source) {
  const std::string extension = std::filesystem::path(source.place).extension().string();
  if (extension == ".dot" || extension == ".gv") {
    return by_name("dot");
  }
  if (extension == ".stg") {
    return by_name("stg");
  }
  const std::string_view text = trimmed(source.text);
  if (text.starts_with('{')) {
    return detect_json(text);
  }
  for (const std::string_view word : {"digraph", "strict", "graph", "//", "/*"}) {
    if (text.starts_with(word)) {
      return by_name("dot");
    }
  }
  return text.starts_with("#critical") ? by_name("hetero") : detect_integers(source.text);
}

}  // namespace berth::datasets
