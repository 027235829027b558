// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "placement_file.hpp"

#include <optional>

#include "berth/error.hpp"

#include "atomic_file.hpp"
#include "json_text.hpp"
#include "json_view.hpp"
#include "numbers.hpp"
#include "source_text.hpp"

namespace berth::datasets {
namespace {

constexpr int kBerthPlacementVersion = 1;

void check_at(const std::string& place,
              const PlacementProblem& problem,
              const Placement& placement) {
  try {
    check_placement(problem, placement);
  } catch (const Error& error) {
    rethrow_with_context(error, place);
  }
}

Placement read_line(const SourceText& source,
                    const LineReader& lines,
                    const PlacementProblem& problem) {
  Placement placement;
  for (const std::string_view token : split(lines.line(), ", \t")) {
    const auto device = parse_count(token);
    if (!device || *device >= problem.topology.num_devices()) {
      fail_at(source,
              lines.number(),
              "op " + std::to_string(placement.device.size()) + " is on device " + shown(token) +
                  "; expected a device id from 0 to " +
                  std::to_string(problem.topology.num_devices() - 1));
    }
    placement.device.push_back(to_id<DeviceId>(*device));
  }
  check_at(source.place + ":" + std::to_string(lines.number()), problem, placement);
  return placement;
}

void require_same_graph(const JsonView& root, const PlacementProblem& problem) {
  const JsonView graph = root.at("graph");
  const JsonView hash = graph.at("hash");
  const std::string expected = hash_text(problem.graph.hash());
  if (hash.text() != expected) {
    hash.fail(shown(hash.text()) + ": the placement was made for another graph; expected " +
              expected + " of '" + problem.graph.name() + "'");
  }
}

/// Files of earlier versions need not name the topology.
/// @throws InputError if the placement was made for another number of devices.
bool is_for_another_topology(const JsonView& root, const Topology& topology) {
  const auto made_for = root.find("topology");
  if (!made_for || made_for->at("hash").text() == hash_text(topology.hash())) {
    return false;
  }
  const std::size_t devices = made_for->at("devices").items().size();
  if (devices != topology.num_devices()) {
    made_for->fail("the placement was made for the " + std::to_string(devices) + " devices of '" +
                   made_for->at("name").text() + "'; expected the " +
                   std::to_string(topology.num_devices()) + " of '" + topology.name() + "'");
  }
  return true;
}

/// The names of the devices that the file was made for; none where it does not say.
std::vector<std::string> device_names(const JsonView& root) {
  std::vector<std::string> names;
  const auto made_for = root.find("topology");
  const auto devices = made_for ? made_for->find("devices") : std::nullopt;
  if (devices) {
    for (const JsonView& name : devices->items()) {
      names.push_back(name.text());
    }
  }
  return names;
}

/// A device's number and its name must mean the same one.
void check_device_name(const JsonView& row,
                       std::uint64_t device,
                       const std::vector<std::string>& names) {
  const auto name = row.find("device_name");
  if (name && device < names.size() && names[device] != name->text()) {
    name->fail("'" + name->text() + "' beside device " + std::to_string(device) + "; expected '" +
               names[device] + "', as the file's topology has it");
  }
}

void warn_of_move(const JsonView& root, const Topology& topology, Logger& logger) {
  const JsonView made_for = root.at("topology");
  logger.warning("a placement that was made for another topology is taken over",
                 {{"file", root.place()},
                  {"made_for", made_for.at("name").text()},
                  {"made_for_hash", made_for.at("hash").text()},
                  {"taken_to", topology.name()},
                  {"taken_to_hash", hash_text(topology.hash())}});
}

Placement read_json(const SourceText& source, const PlacementProblem& problem, Logger& logger) {
  const nlohmann::json document = parse_json(source);
  const JsonView root(document, source.place);
  require_format(root, "berth.placement", kBerthPlacementVersion);
  root.require_keys({"format",
                     "version",
                     "policy",
                     "seed",
                     "graph",
                     "topology",
                     "execution",
                     "makespan",
                     "makespan_seconds",
                     "lower_bound",
                     "placement_hash",
                     "ops"});
  require_same_graph(root, problem);
  const bool moves = is_for_another_topology(root, problem.topology);
  const std::size_t num_ops = problem.graph.num_ops();
  const std::size_t num_devices = problem.topology.num_devices();
  Placement placement;
  placement.device.resize(num_ops);
  std::vector<bool> placed(num_ops, false);
  std::size_t ordered = 0;
  const std::vector<std::string> names = device_names(root);
  for (const JsonView& view : root.at("ops").items()) {
    view.require_keys({"op", "name", "device", "device_name", "order"});
    const std::uint64_t op = view.at("op").count();
    const std::uint64_t device = view.at("device").count();
    if (op >= num_ops || placed[op]) {
      view.at("op").fail("op " + std::to_string(op) +
                         (op < num_ops ? " stands here a second time; expected every op once"
                                       : "; the graph has " + std::to_string(num_ops) + " ops"));
    }
    if (device >= num_devices) {
      view.at("device").fail("device " + std::to_string(device) + "; topology '" +
                             problem.topology.name() + "' has " + std::to_string(num_devices) +
                             " devices");
    }
    check_device_name(view, device, names);
    placed[op] = true;
    placement.device[op] = to_id<DeviceId>(device);
    if (const auto order = view.find("order")) {
      placement.order.resize(num_ops, 0.0);
      placement.order[op] = order->number();
      ++ordered;
    }
  }
  for (std::size_t op = 0; op < num_ops; ++op) {
    if (!placed[op]) {
      root.at("ops").fail("no device for " + problem.graph.op_name(to_id<OpId>(op)) + " (op " +
                          std::to_string(op) + "); expected every op once");
    }
  }
  if (ordered != 0 && ordered != num_ops) {
    root.at("ops").fail(std::to_string(ordered) +
                        " ops have an order value; expected none or all " +
                        std::to_string(num_ops));
  }
  check_at(source.place, problem, placement);
  if (moves) {
    warn_of_move(root, problem.topology, logger);
  }
  return placement;
}

}  // namespace

std::vector<Placement> read_placements(const std::filesystem::path& file,
                                       const PlacementProblem& problem,
                                       Logger& logger) {
  return parse_placements(load_source(file), problem, logger);
}

std::vector<Placement> parse_placements(const SourceText& source,
                                        const PlacementProblem& problem,
                                        Logger& logger) {
  if (trimmed(source.text).starts_with('{')) {
    return {read_json(source, problem, logger)};
  }
  std::vector<Placement> placements;
  LineReader lines(source.text);
  while (lines.next_content()) {
    placements.push_back(read_line(source, lines, problem));
  }
  if (placements.empty() && problem.graph.num_ops() == 0) {
    placements.emplace_back();
  }
  if (placements.empty()) {
    throw InputError(source.place +
                     ": no placement; expected Berth placement JSON or a line of device ids "
                     "(e.g. '0,1,0,1')");
  }
  return placements;
}

void write_placement(const Placement& placement,
                     const PlacementProblem& problem,
                     const PlacementNote& note,
                     const std::filesystem::path& file) {
  const Graph& graph = problem.graph;
  const Topology& topology = problem.topology;
  std::string out =
      "{\"format\":\"berth.placement\",\"version\":" + std::to_string(kBerthPlacementVersion) +
      ",\n\"policy\":";
  append_json_string(out, note.policy);
  out += ",\"seed\":" + std::to_string(note.seed) + ",\n\"graph\":{\"name\":";
  append_json_string(out, graph.name());
  out += ",\"hash\":\"" + hash_text(graph.hash()) +
         "\",\"ops\":" + std::to_string(graph.num_ops()) +
         ",\"edges\":" + std::to_string(graph.num_edges()) +
         ",\"seconds_per_unit\":" + number_text(graph.seconds_per_unit()) +
         "},\n\"topology\":{\"name\":";
  append_json_string(out, topology.name());
  out += ",\"hash\":\"" + hash_text(topology.hash()) + "\",\"devices\":[";
  for (std::size_t d = 0; d < topology.num_devices(); ++d) {
    out += d == 0 ? "" : ",";
    append_json_string(out, topology.device(to_id<DeviceId>(d)).name);
  }
  const ExecutionOptions& execution = problem.execution;
  out += "]},\n\"execution\":{\"model\":\"" + std::string(name_of(execution.model)) +
         "\",\"discipline\":\"" + std::string(name_of(execution.discipline)) +
         "\",\"streams\":" + std::to_string(execution.streams) +
         ",\"compute_noise\":" + number_text(execution.compute_noise) +
         ",\"transfer_noise\":" + number_text(execution.transfer_noise) +
         ",\"noise_seed\":" + std::to_string(execution.noise_seed) +
         "},\n\"makespan\":" + number_text(note.makespan) +
         ",\"makespan_seconds\":" + number_text(note.makespan * problem.costs.seconds_per_unit) +
         ",\"lower_bound\":" + number_text(problem.lower_bound) + ",\"placement_hash\":\"" +
         hash_text(placement_hash(placement.device)) + "\",\n\"ops\":[";
  for (std::size_t v = 0; v < placement.device.size(); ++v) {
    out += (v == 0 ? "\n{\"op\":" : ",\n{\"op\":") + std::to_string(v) + ",\"name\":";
    append_json_string(out, graph.op_name(to_id<OpId>(v)));
    out += ",\"device\":" + std::to_string(index(placement.device[v])) + ",\"device_name\":";
    append_json_string(out, topology.device(placement.device[v]).name);
    if (!placement.order.empty()) {
      out += ",\"order\":" + number_text(placement.order[v]);
    }
    out += "}";
  }
  write_atomically(file, out + "]}\n");
}

}  // namespace berth::datasets
