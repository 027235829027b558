// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "checkpoints/checkpoint_file.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "datasets/writable_file.hpp"
#include "trained_policy.hpp"

namespace berth::launcher {
namespace {

using Json = nlohmann::ordered_json;
using checkpoints::Checkpoint;
using checkpoints::Entry;
using checkpoints::Header;

std::string hexadecimal(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

Json hashes(const std::vector<std::uint64_t>& values) {
  Json list = Json::array();
  for (const std::uint64_t value : values) {
    list.push_back(hexadecimal(value));
  }
  return list;
}

Json config_json(const std::string& text) {
  Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return parsed.is_discarded() ? Json(text) : parsed;
}

Json describe(const Checkpoint& checkpoint, const std::string& file) {
  const Header& header = checkpoint.header;
  Json json;
  json["file"] = file;
  json["format_version"] = header.format_version;
  json["plugin"] = header.plugin;
  json["plugin_version"] = header.plugin_version;
  json["policy"] = header.policy;
  json["seed"] = header.seed;
  json["update"] = header.update;
  json["graph_hashes"] = hashes(header.graph_hashes);
  json["topology_hashes"] = hashes(header.topology_hashes);
  json["config"] = config_json(header.config);
  json["entries"] = Json::array();
  for (const auto& [name, entry] : checkpoint.state) {
    Json row = {{"name", name}, {"type", name_of(entry.type)}, {"shape", entry.shape}};
    if (entry.type == checkpoints::EntryType::kText) {
      row["text"] = entry.text;
    }
    json["entries"].push_back(std::move(row));
  }
  return json;
}

void print_checkpoint(const Json& json) {
  for (const auto& [key, value] : json.items()) {
    if (key != "entries") {
      std::printf("%-16s %s\n",
                  key.c_str(),
                  (value.is_string() ? value.get<std::string>() : value.dump()).c_str());
    }
  }
  std::printf("entries          %zu\n", json.at("entries").size());
  for (const Json& row : json.at("entries")) {
    std::printf("  %-44s %-8s %s\n",
                row.at("name").get<std::string>().c_str(),
                row.at("type").get<std::string>().c_str(),
                row.contains("text") ? row["text"].dump().c_str() : row["shape"].dump().c_str());
  }
}

int info(const CommandLine& line, const std::string& file) {
  const Json json = describe(checkpoints::read_checkpoint(file), file);
  if (line.has("json")) {
    std::printf("%s\n", json.dump().c_str());
  } else {
    print_checkpoint(json);
  }
  return 0;
}

int diff(const CommandLine& line, const std::string& a, const std::string& b) {
  const std::vector<std::string> lines =
      differences(checkpoints::read_checkpoint(a), checkpoints::read_checkpoint(b));
  if (line.has("json")) {
    std::printf("%s\n", Json({{"equal", lines.empty()}, {"differences", lines}}).dump().c_str());
  } else {
    for (const std::string& text : lines) {
      std::printf("%s\n", text.c_str());
    }
  }
  return lines.empty() ? 0 : static_cast<int>(ExitCode::kRunFailed);
}

/// What placing needs of a checkpoint: weights and options, not what training goes on from.
int weights(const std::string& from, const std::string& to) {
  if (!datasets::is_replaced_whole(to)) {
    throw InputError(to + ": a device or pipe; expected the name of a file for the weights");
  }
  datasets::check_writable(to);
  const std::filesystem::path file = datasets::followed(to);
  Checkpoint checkpoint = checkpoints::read_checkpoint(from);
  keep_weights(checkpoint.state);
  const Json config = config_json(checkpoint.header.config);
  if (config.is_object() && config.contains("policy_options")) {
    checkpoint.header.config = Json({{"policy_options", config["policy_options"]}}).dump();
  }
  checkpoint.header.graph_hashes.clear();
  checkpoint.header.topology_hashes.clear();
  checkpoints::write_checkpoint(checkpoint, file);
  return 0;
}

}  // namespace

int run_checkpoint(std::span<const std::string> words) {
  CommandLine line("checkpoint",
                   "info FILE | diff FILE FILE | weights FILE OUT",
                   "Shows what is in a checkpoint, or what differs between two (exit code 1 if "
                   "something does); writes one with the weights and options alone, which places "
                   "and can be where another training starts, but is not resumed.");
  line.add()("json", "results as one JSON line");
  if (!line.parse(words)) {
    return 0;
  }
  const std::vector<std::string>& given = line.positional();
  if (given.size() == 2 && given[0] == "info") {
    return info(line, given[1]);
  }
  if (given.size() == 3 && given[0] == "diff") {
    return diff(line, given[1], given[2]);
  }
  if (given.size() == 3 && given[0] == "weights") {
    return weights(given[1], given[2]);
  }
  throw InputError(
      "berth checkpoint: expected 'info FILE', 'diff FILE FILE' or 'weights FILE OUT'; see berth "
      "checkpoint --help");
}

}  // namespace berth::launcher
