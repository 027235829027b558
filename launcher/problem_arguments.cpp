// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "problem_arguments.hpp"

#include <filesystem>
#include <regex>
#include <sstream>
#include <utility>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"

#include "case_table.hpp"
#include "datasets/graph_file.hpp"
#include "datasets/topology_file.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;
using Problems = std::vector<std::shared_ptr<const PlacementProblem>>;

/// Device count in a file's name by the first group of --devices-from-name.
std::string topology_from_name(const std::string& file, const std::string& pattern) {
  const std::string name = std::filesystem::path(file).filename().string();  // match refers to it
  std::smatch match;
  try {
    if (!std::regex_search(name, match, std::regex(pattern)) || match.size() < 2) {
      throw InputError("--devices-from-name: '" + pattern + "' finds no number in '" + name +
                       "'; expected a pattern with one group, e.g. '-([0-9]+)\\.dot$'");
    }
  } catch (const std::regex_error& error) {
    throw InputError("--devices-from-name: '" + pattern +
                     "' is no regular expression: " + error.what());
  }
  return "uniform:" + match[1].str();
}

Problems from_cases(const CommandLine& line, const ExecutionOptions& execution, Logger& logger) {
  if (line.has("topology") || line.has("devices-from-name")) {
    throw InputError(
        "--cases gives each graph its device count; drop --topology and "
        "--devices-from-name");
  }
  Problems problems;
  for (const Case& row : read_cases(line.text("cases"), line.positional())) {
    problems.push_back(load_problem(
        row.graph, "uniform:" + std::to_string(row.devices), execution, row.optimum, logger));
  }
  return problems;
}

/// Whether any device has another peak than that of uniform:N.
bool has_rates(const Topology& topology) {
  for (std::size_t d = 0; d < topology.num_devices(); ++d) {
    const DeviceSpec& device = topology.device(to_id<DeviceId>(d));
    if (device.peak != DeviceSpec{}.peak || !device.op_rates.empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace

void add_problem_options(CommandLine& line, const char* model_shown) {
  line.add()("topology",
             po::value<std::string>(),
             "a preset such as uniform:4 (berth options topologies lists them), or a topology "
             "file; default: as many identical devices as the graph's own table names");
  line.add()("model",
             po::value<std::string>()->default_value("delay", model_shown),
             "execution model: delay, doppler-reference, links, fair, pull");
  line.add()("discipline",
             po::value<std::string>()->default_value("auto"),
             "which waiting op an idle device starts: auto, fifo, priority, static-order");
  line.add()("streams", po::value<std::string>()->default_value("1"), "ops a device runs at once");
  line.add()("compute-noise",
             po::value<std::string>()->default_value("0"),
             "sigma of a log-normal factor of mean 1 on each op");
  line.add()(
      "transfer-noise", po::value<std::string>()->default_value("0"), "the same on each transfer");
  line.add()("noise-seed", po::value<std::string>()->default_value("0"), "seed of the factors");
  line.add()("devices-from-name",
             po::value<std::string>(),
             "regular expression whose first group is the device count in each graph's file name");
  line.add()("cases",
             po::value<std::string>(),
             "CSV with the columns graph, devices and optionally optimum: a problem a row");
}

ExecutionOptions execution_of(const CommandLine& line) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  ExecutionOptions execution;
  execution.model = parse_execution_model(line.text("model"));
  execution.discipline = parse_discipline(line.text("discipline"));
  execution.streams = static_cast<std::uint32_t>(line.integer("streams", 1, 1024));
  execution.compute_noise = line.real("compute-noise", 0.0, kMostNoise);
  execution.transfer_noise = line.real("transfer-noise", 0.0, kMostNoise);
  execution.noise_seed = static_cast<std::uint64_t>(line.integer("noise-seed", 0, kMost));
  return execution;
}

std::string model_text(const ExecutionOptions& execution) {
  std::ostringstream text;
  text << name_of(execution.model);
  const char* joint = " with noise ";
  for (const auto& [sigma, what] : {std::pair{execution.compute_noise, " on ops"},
                                    std::pair{execution.transfer_noise, " on transfers"}}) {
    if (sigma > 0.0) {
      text << joint << sigma << what;
      joint = " and ";
    }
  }
  if (execution.compute_noise > 0.0 || execution.transfer_noise > 0.0) {
    text << " (seed " << execution.noise_seed << ")";
  }
  return text.str();
}

std::shared_ptr<const PlacementProblem> load_problem(const std::string& graph_file,
                                                     const std::string& topology,
                                                     const ExecutionOptions& execution,
                                                     std::optional<double> optimum,
                                                     Logger& logger) {
  const Graph graph = datasets::read_graph(graph_file, logger);
  if (topology.empty() && graph.table_devices() == 0) {
    throw InputError(graph_file + ": no topology given; expected --topology, e.g. uniform:4");
  }
  const Topology devices = topology.empty() ? Topology::uniform(graph.table_devices())
                                            : datasets::make_topology(topology);
  return make_problem(graph_file, graph, devices, execution, optimum);
}

Problems problems_of(const CommandLine& line, Logger& logger) {
  const ExecutionOptions execution = execution_of(line);
  if (line.has("cases")) {
    return from_cases(line, execution, logger);
  }
  Problems problems;
  for (const auto& path : datasets::expand_graph_paths(line.positional())) {
    const std::string file = path.string();
    std::string topology = line.has("topology") ? line.text("topology") : "";
    if (line.has("devices-from-name")) {
      topology = topology_from_name(file, line.text("devices-from-name"));
    }
    problems.push_back(load_problem(file, topology, execution, std::nullopt, logger));
  }
  if (problems.empty()) {
    throw InputError("no graph given; expected at least one graph file or folder");
  }
  return problems;
}

void warn_without_rates(const PlacementProblem& problem, Logger& logger) {
  if (problem.graph.cost_basis() == CostBasis::kPhysical && !has_rates(problem.topology)) {
    logger.warning(
        "the graph's costs are flops and bytes and no device of the topology says how many it does "
        "a second, so 1 is taken and times mean nothing; use a topology with rates, such as p100 "
        "(berth options topologies)",
        {{"graph", problem.name}, {"topology", problem.topology.name()}});
  }
}

}  // namespace berth::launcher
