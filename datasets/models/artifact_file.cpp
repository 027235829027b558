// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "artifact_file.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "json_fields.hpp"

namespace berth::datasets {
namespace {

constexpr double kMilliseconds = 1e-3;
constexpr double kMost = 1e18;

struct ArtifactNode {
  std::int64_t id = 0;
  LayerCost cost;
  bool tensor_parallel = false;
};

struct Edge {
  std::int64_t from = 0;
  std::int64_t to = 0;
  double size_bytes = 0.0;
};

struct Width {
  std::uint32_t tensor = 1;
  std::vector<ArtifactNode> nodes;
  std::vector<Edge> edges;
};

ArtifactNode read_node(const JsonField& field) {
  ArtifactNode node;
  node.id = field.at("id").integer(-1'000'000'000, 1'000'000'000);
  node.cost.forward_seconds = field.at("optimalLatencyFw").number(0, kMost) * kMilliseconds;
  node.cost.backward_seconds = field.at("optimalLatencyBw").number(0, kMost) * kMilliseconds;
  node.cost.dense_parameters = field.at("parameterSize").number(0, kMost) / 2.0;
  node.cost.saved_bytes[0] = field.at("activationSize").number(0, kMost);
  node.tensor_parallel = field.at("isTensorParallelized").boolean();
  return node;
}

std::vector<Width> read_widths(const JsonField& root) {
  const JsonField nodes = root.at("nodes").object();
  const JsonField edges = root.at("edges").object();
  std::map<std::uint32_t, Width> widths;
  for (const auto& [key, value] : nodes.json().items()) {
    const JsonField list(value, nodes.place() + "/" + key);
    if (key.empty() || key.size() > 5 || key.find_first_not_of("0123456789") != std::string::npos ||
        std::stoul(key) == 0) {
      throw InputError(nodes.place() + ": width '" + key + "'; expected 1 to 99999");
    }
    Width width;
    width.tensor = static_cast<std::uint32_t>(std::stoul(key));
    for (std::size_t i = 0; i < list.array().size(); ++i) {
      width.nodes.push_back(read_node(list.at(i)));
      if (width.tensor == 1 && width.nodes.back().tensor_parallel) {
        list.at(i).at("isTensorParallelized").fail("false at width 1");
      }
    }
    const JsonField arcs = edges.at(key).array();
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      width.edges.push_back({arcs.at(i).at("sourceId").integer(-1'000'000'000, 1'000'000'000),
                             arcs.at(i).at("destId").integer(-1'000'000'000, 1'000'000'000),
                             arcs.at(i).at("communicationCost").number(0, kMost)});
    }
    widths.emplace(width.tensor, std::move(width));
  }
  if (widths.empty() || widths.begin()->second.nodes.empty()) {
    throw InputError(nodes.place() + ": no nodes; expected at least one width with nodes");
  }
  if (edges.size() != widths.size()) {
    throw InputError(edges.place() + ": " + std::to_string(edges.size()) +
                     " widths; expected the " + std::to_string(widths.size()) + " of /nodes");
  }
  std::vector<Width> ascending;
  for (auto& [tensor, width] : widths) {
    ascending.push_back(std::move(width));
  }
  return ascending;
}

std::set<std::int64_t> ids_of(const Width& width, const std::string& place) {
  std::set<std::int64_t> ids;
  for (const ArtifactNode& node : width.nodes) {
    if (!ids.insert(node.id).second) {
      throw InputError(place + ": id " + std::to_string(node.id) + " twice; expected unique ids");
    }
  }
  return ids;
}

void check_same_graph(const Width& first, const Width& width, const std::string& file) {
  const std::string place = file + ": /nodes/" + std::to_string(width.tensor);
  if (ids_of(width, place) != ids_of(first, place)) {
    throw InputError(place + ": other ids than width " + std::to_string(first.tensor) +
                     "; expected the same");
  }
  std::set<std::pair<std::int64_t, std::int64_t>> arcs;
  std::set<std::pair<std::int64_t, std::int64_t>> expected;
  const std::set<std::int64_t> ids = ids_of(first, place);
  const std::string where = file + ": /edges/" + std::to_string(width.tensor);
  for (const Edge& edge : width.edges) {
    const std::string shown = std::to_string(edge.from) + " -> " + std::to_string(edge.to);
    if (ids.count(edge.from) == 0 || ids.count(edge.to) == 0) {
      throw InputError(where + ": edge " + shown + " names no node; expected ids of /nodes");
    }
    if (edge.from == edge.to || !arcs.emplace(edge.from, edge.to).second) {
      throw InputError(where + ": edge " + shown +
                       " is a self-loop or there twice; expected a simple graph");
    }
  }
  for (const Edge& edge : first.edges) {
    expected.emplace(edge.from, edge.to);
  }
  if (arcs != expected) {
    throw InputError(where + ": other edges than width " + std::to_string(first.tensor) +
                     "; expected the same");
  }
}

// The artifact's topological order: pop the back of a stack, push what became free.
std::map<std::int64_t, std::uint32_t> order_of(const Width& width, const std::string& file) {
  std::map<std::int64_t, std::vector<std::int64_t>> successors;
  std::map<std::int64_t, int> waiting;
  for (const Edge& edge : width.edges) {
    successors[edge.from].push_back(edge.to);
    ++waiting[edge.to];
  }
  std::vector<std::int64_t> stack;
  for (const ArtifactNode& node : width.nodes) {
    if (waiting[node.id] == 0) {
      stack.push_back(node.id);
    }
  }
  std::map<std::int64_t, std::uint32_t> position;
  while (!stack.empty()) {
    const std::int64_t id = stack.back();
    stack.pop_back();
    position.emplace(id, static_cast<std::uint32_t>(position.size()));
    for (const std::int64_t next : successors[id]) {
      if (--waiting[next] == 0) {
        stack.push_back(next);
      }
    }
  }
  for (const ArtifactNode& node : width.nodes) {
    if (position.count(node.id) == 0) {
      throw InputError(file + ": /edges: node " + std::to_string(node.id) +
                       " is on or behind a cycle; expected an acyclic graph");
    }
  }
  return position;
}

StrategyConfiguration configuration_of(const Width& width,
                                       const std::map<std::int64_t, std::uint32_t>& position) {
  StrategyConfiguration configuration;
  configuration.tensor = width.tensor;
  configuration.costs.resize(width.nodes.size());
  configuration.kinds.resize(width.nodes.size());
  for (const ArtifactNode& node : width.nodes) {
    const std::uint32_t at = position.at(node.id);
    configuration.kinds[at] = at;
    configuration.costs[at] = node.cost;
  }
  for (const Edge& edge : width.edges) {
    configuration.edges.push_back({position.at(edge.from), position.at(edge.to), edge.size_bytes});
  }
  return configuration;
}

NetworkLevels network_of(const JsonField& root, ArtifactUnits units) {
  const JsonField bandwidths = root.at("bws").array();
  const JsonField latencies = root.at("latency_per_level").array();
  const JsonField groups = root.at("devices_per_level").array();
  std::vector<NetworkLevel> levels;
  std::vector<std::uint32_t> sizes;
  if (latencies.size() != bandwidths.size() || groups.size() != bandwidths.size()) {
    throw InputError(bandwidths.place() + ": " + std::to_string(bandwidths.size()) +
                     " levels; expected as many as latency_per_level and devices_per_level");
  }
  // x bytes at B bytes/s take x/B seconds; "mixed" counts the quotient as milliseconds.
  const double factor = units == ArtifactUnits::kMixed ? 1.0 / kMilliseconds : 1.0;
  for (std::size_t l = 0; l < bandwidths.size(); ++l) {
    levels.push_back({"level " + std::to_string(l),
                      bandwidths.at(l).number(1e-9, kMost) * factor,
                      latencies.at(l).number(0, kMost) * kMilliseconds,
                      0.0,
                      1});
    sizes.push_back(static_cast<std::uint32_t>(groups.at(l).integer(1, 10'000)));
  }
  NetworkLevels network = NetworkLevels::uniform(sizes, std::move(levels));
  const std::int64_t devices = root.at("maxDevices").integer(1, 10'000);
  if (static_cast<std::int64_t>(network.num_devices()) != devices) {
    throw InputError(groups.place() + ": product " + std::to_string(network.num_devices()) +
                     "; expected maxDevices, " + std::to_string(devices));
  }
  return network;
}

std::vector<ArtifactBaseline> baselines_of(const JsonField& root) {
  std::vector<ArtifactBaseline> baselines;
  if (!root.has("baselines")) {
    return baselines;
  }
  const JsonField fields = root.at("baselines").object();
  for (const auto& [name, value] : fields.json().items()) {
    const JsonField field(value, fields.place() + "/" + name);
    const auto degree = [&field](const char* key) {
      return static_cast<std::uint32_t>(field.at(key).integer(1, 100'000));
    };
    ArtifactBaseline baseline{
        name, degree("p"), degree("d"), degree("t"), degree("num_transformer_layers"), {}};
    if (field.has("layer_partition")) {
      const JsonField parts = field.at("layer_partition").array();
      for (std::size_t i = 0; i < parts.size(); ++i) {
        baseline.layer_partition.push_back(
            static_cast<std::uint32_t>(parts.at(i).integer(0, 100'000)));
      }
    }
    baselines.push_back(std::move(baseline));
  }
  return baselines;
}

}  // namespace

ArtifactFile read_artifact_file(const std::filesystem::path& file, ArtifactUnits units) {
  const nlohmann::json json = parse_json_file(file);
  const JsonField root(json, file.string() + ": ");
  root.object();
  ArtifactFile result;
  StrategyProblem& problem = result.problem;
  problem.model = file.stem().string();
  problem.cluster = file.stem().string() + " network";
  problem.network = network_of(root, units);
  problem.classes = {{"device", root.at("maxMemoryPerDevice").number(1e-9, kMost), 0.0, 0.0}};
  static_cast<void>(root.at("bandwidth").number(1e-9, kMost));
  const std::string optimizer = root.at("optimizerAlgorithm").text();
  if (optimizer != "SGD" && optimizer != "Adam") {
    root.at("optimizerAlgorithm").fail("SGD or Adam");
  }
  problem.memory = {2.0, 2.0, optimizer == "Adam" ? 12.0 : 0.0, 0.0};
  problem.recompute_allowed = root.at("activationRecomputation").boolean();
  const auto batch = static_cast<std::uint32_t>(root.at("mbsInBatch").number(1, 1e9));
  const auto expert = static_cast<std::uint32_t>(root.at("ep_degree").integer(1, 10'000));
  const auto context = static_cast<std::uint32_t>(root.at("cp_degree").integer(1, 10'000));
  problem.global_batch = batch;

  const std::vector<Width> widths = read_widths(root);
  const auto position = order_of(widths.front(), file.string());
  problem.layers.resize(position.size());
  for (const auto& [id, at] : position) {
    problem.layers[at] = std::to_string(id);
  }
  for (const Width& width : widths) {
    check_same_graph(widths.front(), width, file.string());
    StrategyConfiguration configuration = configuration_of(width, position);
    configuration.expert = expert;
    configuration.context = context;
    configuration.micro_batches = batch;
    configuration.sequence_parallel = root.has("sp_enabled") && root.at("sp_enabled").boolean();
    problem.configurations.push_back(std::move(configuration));
  }
  result.baselines = baselines_of(root);
  check_problem(problem);
  return result;
}

}  // namespace berth::datasets
