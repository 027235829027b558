// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "executor_arguments.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"
#include "berth/units.hpp"

#include "policy_request.hpp"
#include "problem_arguments.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

/// By options of the command, or of the executor.
/// @throws InputError if they say different things.
bool emulates(const CommandLine& line) {
  const PolicyRequest executor = parse_policy(line.text("executor"), kExecutorWords);
  const auto setting = std::ranges::find(
      executor.settings, "emulate_links", &std::pair<std::string, std::string>::first);
  const bool is_set = setting != executor.settings.end();
  for (const char* const option : {"emulate-links", "bandwidth", "latency"}) {
    if (line.has(option)) {
      if (is_set && setting->second == "false") {
        throw InputError(std::string("--") + option + ": executor '" + executor.text +
                         "' says emulate_links=false; expected one of the two");
      }
      return true;
    }
  }
  return is_set && setting->second == "true";
}

/// What --bandwidth says, else that of the topology's first pair of devices.
BytesPerSecond bandwidth_of(const CommandLine& line, const Topology& topology) {
  if (!line.has("bandwidth")) {
    return topology.num_devices() > 1 ? topology.bandwidth(to_id<DeviceId>(0), to_id<DeviceId>(1))
                                      : BytesPerSecond{1.0};
  }
  try {
    const BytesPerSecond bandwidth = parse_bandwidth(line.text("bandwidth"));
    if (!(bandwidth.value > 0.0)) {
      throw InputError("'" + line.text("bandwidth") + "' is no bandwidth > 0; expected e.g. 1GB/s");
    }
    return bandwidth;
  } catch (const InputError& error) {
    rethrow_with_context(error, "--bandwidth");
  }
}

Seconds latency_of(const CommandLine& line) {
  if (!line.has("latency")) {
    return Seconds{0.0};
  }
  try {
    return parse_seconds(line.text("latency"));
  } catch (const InputError& error) {
    rethrow_with_context(error, "--latency");
  }
}

}  // namespace

void add_executor_options(CommandLine& line) {
  const auto word = [](const char* value) {
    return po::value<std::string>()->default_value(value);
  };
  line.add()("executor",
             word("cpu"),
             "what runs the placements: cpu, or cuda with its options as in 'cuda(logical=4)'; see "
             "berth options cuda");
  line.add()("repeats", word("5"), "runs of a placement that count");
  line.add()("warm-up", word("1"), "runs before those");
  line.add()("timeout", word("10s"), "longest run, with a unit; 0s: none");
  line.add()("emulate-links",
             "transfers take as long as the topology says; else as long as the host takes");
  line.add()("bandwidth",
             po::value<std::string>(),
             "emulate links of this bandwidth between all devices, for example 1GB/s");
  line.add()("latency", po::value<std::string>(), "latency of these links, for example 20us");
}

ExecutorArguments executor_of(const CommandLine& line) {
  ExecutorArguments arguments;
  arguments.executor = line.text("executor");
  arguments.measure.repeats = static_cast<std::uint32_t>(line.integer("repeats", 1, 1000000));
  arguments.measure.warm_up = static_cast<std::uint32_t>(line.integer("warm-up", 0, 1000000));
  try {
    arguments.measure.timeout_seconds = parse_seconds(line.text("timeout")).value;
  } catch (const InputError& error) {
    rethrow_with_context(error, "--timeout");
  }
  arguments.emulate_links = emulates(line);
  return arguments;
}

Topology with_links(const Topology& topology, BytesPerSecond bandwidth, Seconds latency) {
  TopologyBuilder builder(topology.name());
  const std::size_t devices = topology.num_devices();
  for (std::size_t d = 0; d < devices; ++d) {
    builder.add_device(topology.device(to_id<DeviceId>(d)));
  }
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a != b) {
        const LinkId link = builder.add_link(
            {"pair " + std::to_string(a) + "->" + std::to_string(b), bandwidth, latency});
        builder.route(to_id<DeviceId>(a), to_id<DeviceId>(b), {link});
      }
    }
  }
  return builder.freeze();
}

std::shared_ptr<const PlacementProblem> executed_problem(const CommandLine& line, Logger& logger) {
  const auto problems = problems_of(line, logger);
  if (problems.size() != 1) {
    throw InputError(std::to_string(problems.size()) + " graphs given; expected one to run");
  }
  const PlacementProblem& given = *problems.front();
  ExecutionOptions execution = given.execution;
  if (line.values()["model"].defaulted()) {
    const bool emulated = emulates(line) || given.graph.cost_basis() == CostBasis::kTime;
    // A core copies by itself, what it receives; other devices have engines for that.
    const bool is_cpu = parse_policy(line.text("executor"), kExecutorWords).name == "cpu";
    execution.model = is_cpu && !emulated ? ExecutionModel::kPull : ExecutionModel::kLinks;
  }
  Topology topology = given.topology;
  if (line.has("bandwidth") || line.has("latency")) {
    if (given.graph.cost_basis() == CostBasis::kTime && line.has("bandwidth")) {
      throw InputError(
          "--bandwidth: the graph's transfers are times, not bytes; expected a graph "
          "with physical costs");
    }
    topology = with_links(topology, bandwidth_of(line, topology), latency_of(line));
  }
  return make_problem(given.name, given.graph, topology, execution, given.optimum);
}

std::unique_ptr<DeviceExecutor> open_executor(PluginHost& host,
                                              const std::string& executor,
                                              bool emulate_links,
                                              const PlacementProblem& problem,
                                              PeerGroup* group) {
  const PolicyRequest request = parse_policy(executor, kExecutorWords);
  const bool spans_ranks =
      group != nullptr && host.offers(RankExecutorFactory::kInterface, request.name);
  Config config = policy_config(
      host, spans_ranks ? RankExecutorFactory::kInterface : ExecutorFactory::kInterface, request);
  if (emulate_links && config.has("emulate_links")) {
    config.set("emulate_links", "true");
  }
  if (spans_ranks) {
    return host.rank_executor(request.name, config, /*seed=*/1, problem, *group);
  }
  if (group != nullptr && group->size() > 1) {
    throw InputError("executor '" + request.name + "' runs a placement within one process, not " +
                     std::to_string(group->size()) +
                     " ranks; expected one rank, or an executor that spans ranks, such as cuda");
  }
  return host.device_executor(request.name, config, /*seed=*/1, problem);
}

}  // namespace berth::launcher
