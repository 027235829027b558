// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "partition_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "json_fields.hpp"

namespace berth::datasets {
namespace {

constexpr double kMost = 1e18;
constexpr std::int64_t kMostDevices = 1'000'000;

std::optional<PartitionFormat> format_of(const nlohmann::json& json) {
  if (json.is_object() && json.contains("maxFPGAs")) {
    return PartitionFormat::kMaxLoad;
  }
  if (json.is_object() && json.contains("maxMemoryPerDevice") && json.contains("nodes") &&
      json["nodes"].is_array()) {
    return PartitionFormat::kPiper;
  }
  return std::nullopt;
}

// Index of a node by the id that the file gives it.
class NodeIds {
 public:
  std::uint32_t add(const JsonField& id) {
    const auto index = static_cast<std::uint32_t>(index_.size());
    if (!index_.emplace(value(id), index).second) {
      id.fail("an id that no other node has");
    }
    return index;
  }
  [[nodiscard]] std::uint32_t at(const JsonField& id) const {
    const auto found = index_.find(value(id));
    if (found == index_.end()) {
      id.fail("the id of a node");
    }
    return found->second;
  }
  [[nodiscard]] std::uint32_t named(const JsonField& field, const std::string& text) const {
    for (const auto& [id, index] : index_) {
      if (std::to_string(id) == text) {
        return index;
      }
    }
    throw InputError(field.place() + ": node '" + text + "'; expected the id of a node");
  }

 private:
  static std::int64_t value(const JsonField& id) {
    return id.integer(-1'000'000'000, 1'000'000'000);
  }
  std::map<std::int64_t, std::uint32_t> index_;
};

std::string name_of(const JsonField& node) {
  return node.has("name") ? node.at("name").text() : std::to_string(node.at("id").integer(0, 1e9));
}

bool flag(const JsonField& field) {
  return field.json().is_boolean() ? field.boolean() : field.integer(0, 1) == 1;
}

template <class Value>
Value given(const std::optional<Value>& override, Value from_file) {
  return override ? *override : from_file;
}

class PiperReader {
 public:
  PiperReader(const JsonField& root, const PartitionSetup& setup) : root_(root) {
    problem_.accelerators = given(
        setup.devices, static_cast<std::uint32_t>(root.at("maxDevices").integer(1, kMostDevices)));
    problem_.memory_bytes =
        given(setup.memory_bytes, root.at("maxMemoryPerDevice").number(0, kMost));
    problem_.micro_batches =
        given(setup.micro_batches,
              static_cast<std::uint32_t>(root.at("mbsInBatch").integer(1, kMostDevices)));
    problem_.data_parallel = true;
    bandwidth_ = given(setup.bytes_per_second, root.at("bandwidth").number(1e-9, kMost));
    problem_.gradient_seconds_per_byte = 1.0 / bandwidth_;
  }

  PartitionProblem read() {
    const JsonField nodes = root_.at("nodes").array();
    std::set<std::uint32_t> widths;
    for (std::size_t v = 0; v < nodes.size(); ++v) {
      ids_.add(nodes.at(v).at("id"));
      const JsonField choices = nodes.at(v).at("TMPCs").object();
      for (const auto& item : choices.json().items()) {
        widths.insert(width(choices, item.key()));
      }
    }
    problem_.widths.assign(widths.begin(), widths.end());
    const JsonField edges = root_.at("edges").array();
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const std::uint32_t from = ids_.at(edges.at(e).at("sourceId"));
      const std::uint32_t to = ids_.at(edges.at(e).at("destId"));
      if (from == to) {
        edges.at(e).at("destId").fail("another node than the source");
      }
      arcs_[{from, to}].push_back(static_cast<std::uint32_t>(problem_.transfers.size()));
      problem_.transfers.push_back(
          {from, {to}, 2.0 * edges.at(e).at("communicationCost").number(0, kMost) / bandwidth_});
    }
    for (std::uint32_t v = 0; v < nodes.size(); ++v) {
      read_node(nodes.at(v), v);
    }
    return std::move(problem_);
  }

 private:
  static std::uint32_t width(const JsonField& field, const std::string& text) {
    if (text.empty() || text.size() > 5 ||
        text.find_first_not_of("0123456789") != std::string::npos || std::stoul(text) == 0) {
      throw InputError(field.place() + ": tensor degree '" + text + "'; expected 1 to 99999");
    }
    return static_cast<std::uint32_t>(std::stoul(text));
  }

  void read_node(const JsonField& field, std::uint32_t v) {
    PartitionNode node;
    node.name = name_of(field);
    node.group = v;
    node.host_seconds = std::numeric_limits<double>::infinity();
    const JsonField choices = field.at("TMPCs").object();
    for (const std::uint32_t w : problem_.widths) {
      node.variants.emplace_back();
      if (!choices.has(std::to_string(w))) {
        continue;
      }
      const JsonField list = choices.at(std::to_string(w)).array();
      for (std::size_t k = 0; k < list.size(); ++k) {
        node.variants.back().push_back(read_variant(list.at(k), v));
      }
    }
    problem_.nodes.push_back(std::move(node));
  }

  PartitionVariant read_variant(const JsonField& field, std::uint32_t v) const {
    PartitionVariant variant;
    variant.name = field.at("id").text();
    variant.seconds = field.at("timePerSample").number(0, kMost);
    variant.parameter_bytes = field.at("parameterSize").number(0, kMost);
    variant.stash_bytes = field.at("memoryUsageA").number(0, kMost);
    variant.fixed_bytes = field.at("memoryUsageB").number(0, kMost);
    for (const char* key : {"syncTimeFw", "syncTimeBw"}) {
      const JsonField sync = field.at(key).object();
      for (const auto& item : sync.json().items()) {
        const std::uint32_t other = ids_.named(sync, item.key());
        const bool incoming = std::string(key) == "syncTimeFw";
        const auto found = arcs_.find(incoming ? std::pair{other, v} : std::pair{v, other});
        if (found == arcs_.end()) {
          throw InputError(sync.place() + ": node '" + item.key() + "'; expected a neighbour");
        }
        const double bytes = sync.at(item.key()).number(0, kMost);
        for (const std::uint32_t transfer : found->second) {
          variant.at_border.emplace_back(transfer, 2.0 * bytes / bandwidth_);
        }
      }
    }
    return variant;
  }

  const JsonField& root_;
  PartitionProblem problem_;
  double bandwidth_ = 1.0;
  NodeIds ids_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> arcs_;
};

PartitionProblem read_max_load(const JsonField& root, const PartitionSetup& setup) {
  if (setup.micro_batches || setup.bytes_per_second) {
    throw InputError(root.place() +
                     "a maximum-load graph has neither micro-batches nor a bandwidth; expected "
                     "settings of devices and memory alone");
  }
  PartitionProblem problem;
  problem.accelerators = given(
      setup.devices, static_cast<std::uint32_t>(root.at("maxFPGAs").integer(0, kMostDevices)));
  problem.hosts = static_cast<std::uint32_t>(root.at("maxCPUs").integer(0, kMostDevices));
  problem.memory_bytes = given(setup.memory_bytes, root.at("maxSizePerFPGA").number(0, kMost));
  NodeIds ids;
  std::map<std::int64_t, std::uint32_t> groups;
  const JsonField nodes = root.at("nodes").array();
  for (std::size_t v = 0; v < nodes.size(); ++v) {
    const JsonField field = nodes.at(v);
    ids.add(field.at("id"));
    PartitionNode node;
    node.name = name_of(field);
    node.backward = field.has("isBackwardNode") && flag(field.at("isBackwardNode"));
    node.host_seconds = field.at("cpuLatency").number(0, kMost);
    node.variants.emplace_back();
    if (flag(field.at("supportedOnFpga"))) {
      node.variants[0].push_back({"accelerator",
                                  field.at("fpgaLatency").number(0, kMost),
                                  0.0,
                                  0.0,
                                  field.has("size") ? field.at("size").number(0, kMost) : 0.0,
                                  {}});
    }
    // Nodes without a colour stand alone: -1 - v is no colour of a file.
    const std::int64_t colour = field.has("colorClass") ? field.at("colorClass").integer(0, 1e9)
                                                        : -1 - static_cast<std::int64_t>(v);
    node.group = groups.emplace(colour, static_cast<std::uint32_t>(groups.size())).first->second;
    problem.nodes.push_back(std::move(node));
  }
  const JsonField edges = root.at("edges").array();
  std::vector<PartitionTransfer> sent(nodes.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const std::uint32_t from = ids.at(edges.at(e).at("sourceId"));
    const std::uint32_t to = ids.at(edges.at(e).at("destId"));
    if (from == to) {
      edges.at(e).at("destId").fail("another node than the source");
    }
    const double cost = edges.at(e).at("cost").number(0, kMost);
    if (!sent[from].to.empty() && sent[from].seconds != cost) {
      edges.at(e).at("cost").fail("the cost of the other edges of its source, " +
                                  std::to_string(sent[from].seconds));
    }
    sent[from].from = from;
    sent[from].seconds = cost;
    sent[from].to.push_back(to);
  }
  for (PartitionTransfer& transfer : sent) {
    if (!transfer.to.empty()) {
      problem.transfers.push_back(std::move(transfer));
    }
  }
  return problem;
}

}  // namespace

std::optional<PartitionFormat> partition_format(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) {
    return std::nullopt;  // the reader of models says what it is instead
  }
  std::ifstream stream(file);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  return format_of(json);
}

PartitionProblem read_partition_file(const std::filesystem::path& file,
                                     const PartitionSetup& setup) {
  const nlohmann::json json = parse_json_file(file);
  const JsonField root(json, file.string() + ": ");
  const std::optional<PartitionFormat> format = format_of(json);
  if (!format) {
    throw InputError(file.string() +
                     ": no layer graph to cut; expected Piper's fields (maxMemoryPerDevice, nodes "
                     "with TMPCs) or those of maximum-load partitioning (maxFPGAs)");
  }
  PartitionProblem problem = *format == PartitionFormat::kPiper ? PiperReader(root, setup).read()
                                                                : read_max_load(root, setup);
  problem.model = file.stem().string();
  check_partition_problem(problem);
  return problem;
}

}  // namespace berth::datasets
