// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_partition.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "berth/error.hpp"
#include "berth/graph_partitioner.hpp"
#include "berth/logger.hpp"
#include "berth/units.hpp"

#include "datasets/atomic_file.hpp"
#include "datasets/models/partition_file.hpp"
#include "output_files.hpp"
#include "plugin_arguments.hpp"
#include "policy_request.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

constexpr std::array kOwnOptions = {
    "partitioner", "devices", "memory", "micro-batches", "link-bandwidth"};
// "words" are what stands beside the options: the graph.
constexpr std::array kSharedOptions = {"json", "out", "plugin", "plugin-dir", "words"};

po::typed_value<std::string>* word(const char* shown) {
  return po::value<std::string>()->value_name(shown);
}

template <class Parse>
double positive(const CommandLine& line, const char* name, Parse parse) {
  double value = 0.0;
  try {
    value = parse(line.text(name)).value;
  } catch (const InputError& error) {
    rethrow_with_context(error, std::string("--") + name);
  }
  if (!(value > 0.0)) {
    throw InputError(std::string("--") + name + ": '" + line.text(name) +
                     "'; expected more than zero");
  }
  return value;
}

datasets::PartitionSetup partition_setup(const CommandLine& line) {
  datasets::PartitionSetup setup;
  if (line.has("devices")) {
    setup.devices = static_cast<std::uint32_t>(line.integer("devices", 1, 1'000'000));
  }
  if (line.has("memory")) {
    setup.memory_bytes = positive(line, "memory", parse_bytes);
  }
  if (line.has("micro-batches")) {
    setup.micro_batches = static_cast<std::uint32_t>(line.integer("micro-batches", 1, 1'000'000));
  }
  if (line.has("link-bandwidth")) {
    setup.bytes_per_second = positive(line, "link-bandwidth", parse_bandwidth);
  }
  return setup;
}

void refuse_other_options(const CommandLine& line) {
  const auto among = [](const auto& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& [name, value] : line.values()) {
    if (!value.defaulted() && !among(kOwnOptions, name) && !among(kSharedOptions, name)) {
      throw InputError("berth plan: --" + name +
                       " beside a layer graph; expected --partitioner, --devices, --memory, "
                       "--micro-batches, --link-bandwidth, --out or --json");
    }
  }
}

std::string choices_text(const PartitionProblem& problem, const PartitionStage& stage) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (std::size_t k = 0; k < stage.choices.size(); ++k) {
    const auto& name = problem.nodes[stage.nodes[k]].variants[stage.width][stage.choices[k]].name;
    const auto at = std::find_if(
        counts.begin(), counts.end(), [&name](const auto& entry) { return entry.first == name; });
    if (at == counts.end()) {
      counts.emplace_back(name, 1);
    } else {
      ++at->second;
    }
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
  }
  return text;
}

std::string stage_table(const PartitionProblem& problem, const PartitionPlan& plan) {
  Table table({"stage", "nodes", "first .. last", "runs on", "how", "time", "memory"});
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    const PartitionStage& stage = plan.stages[q];
    const std::string where = stage.on_host ? "host"
                                            : std::to_string(stage.data) + " x " +
                                                  std::to_string(problem.widths[stage.width]);
    const std::string& first = problem.nodes[stage.nodes.front()].name;
    const std::string& last = problem.nodes[stage.nodes.back()].name;
    table.add_row({std::to_string(q + 1),
                   std::to_string(stage.nodes.size()),
                   first + " .. " + last,
                   where,
                   stage.on_host ? "host" : choices_text(problem, stage),
                   significant(stage.seconds, 9),
                   format(Bytes{stage.memory_bytes})});
  }
  return table.text();
}

nlohmann::ordered_json to_json(const PartitionProblem& problem,
                               const PartitionAnswer& answer,
                               const std::string& partitioner) {
  const PartitionPlan& plan = answer.plans.front();
  const PartitionScore score = score_partition(problem, plan);
  nlohmann::ordered_json json = {{"format", "berth-partition"},
                                 {"version", 1},
                                 {"model", problem.model},
                                 {"partitioner", partitioner},
                                 {"accelerators", problem.accelerators},
                                 {"hosts", problem.hosts},
                                 {"memory_bytes", problem.memory_bytes},
                                 {"micro_batches", problem.micro_batches},
                                 {"slowest", score.slowest_seconds},
                                 {"optimal", answer.optimal},
                                 {"contiguous", score.contiguous},
                                 {"accelerators_used", score.accelerators_used},
                                 {"stages", nlohmann::ordered_json::array()}};
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    const PartitionStage& stage = plan.stages[q];
    nlohmann::ordered_json row = {{"on_host", stage.on_host},
                                  {"tensor", problem.widths[stage.width]},
                                  {"data", stage.data},
                                  {"time", score.seconds[q]},
                                  {"memory_bytes", score.memory_bytes[q]},
                                  {"nodes", stage.nodes}};
    if (!stage.on_host) {
      row["choices"] = stage.choices;
    }
    json["stages"].push_back(std::move(row));
  }
  return json;
}

void print_plan(const PartitionProblem& problem,
                const PartitionAnswer& answer,
                const std::string& partitioner) {
  const PartitionScore score = score_partition(problem, answer.plans.front());
  std::printf("%s: %zu nodes, %zu transfers; %u accelerators of %s",
              problem.model.c_str(),
              problem.nodes.size(),
              problem.transfers.size(),
              problem.accelerators,
              format(Bytes{problem.memory_bytes}).c_str());
  if (problem.hosts > 0) {
    std::printf(problem.hosts == 1 ? ", %u host" : ", %u hosts", problem.hosts);
  }
  if (problem.data_parallel) {
    std::printf(", %u micro-batches", problem.micro_batches);
  }
  std::printf("\n%s: slowest stage %s per sample; %s, %s; %zu accelerators used\n\n%s",
              partitioner.c_str(),
              significant(score.slowest_seconds, 9).c_str(),
              score.contiguous ? "contiguous" : "not contiguous",
              answer.optimal ? "no contiguous plan is faster" : "not proved best",
              score.accelerators_used,
              stage_table(problem, answer.plans.front()).c_str());
}

}  // namespace

void add_partition_options(CommandLine& line) {
  line.add()("partitioner",
             word("NAME"),
             "layer graph: contiguous (proved best, the default) or partition-annealing")(
      "devices", word("N"), "layer graph: accelerators, instead of the file's")(
      "memory", word("SIZE"), "layer graph: memory of one, instead of the file's")(
      "micro-batches", word("N"), "layer graph of Piper: micro-batches of a batch")(
      "link-bandwidth", word("RATE"), "layer graph of Piper: bandwidth between devices");
}

bool is_partition_file(const std::string& word) {
  return word.size() > 5 && word.substr(word.size() - 5) == ".json" &&
         datasets::partition_format(word).has_value();
}

void refuse_partition_options(const CommandLine& line) {
  for (const char* name : kOwnOptions) {
    if (line.has(name)) {
      throw InputError("berth plan: --" + std::string(name) +
                       " without a layer graph; expected a JSON file of Piper or of "
                       "maximum-load partitioning");
    }
  }
}

int plan_partition(const CommandLine& line, const std::string& file) {
  refuse_other_options(line);
  check_output_files(line, {"out"});
  const PartitionProblem problem = datasets::read_partition_file(file, partition_setup(line));
  StderrLogger logger(LogLevel::kWarning);
  const auto host = make_plugin_host(line.values(), logger);
  const PolicyRequest request =
      parse_policy(line.has("partitioner") ? line.text("partitioner") : "contiguous");
  const Config config = policy_config(*host, GraphPartitioner::kInterface, request);
  const auto partitioner = host->graph_partitioner(request.name, config, 1);
  const auto start = std::chrono::steady_clock::now();
  const PartitionAnswer answer = partitioner->partition(problem);
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (answer.plans.empty()) {
    std::string lines;
    for (const std::string& reason : answer.infeasible) {
      lines += (lines.empty() ? "" : "; ") + reason;
    }
    throw SolverError("infeasible: " + lines);
  }
  if (line.has("json")) {
    std::printf("%s\n", to_json(problem, answer, request.text).dump().c_str());
  } else {
    print_plan(problem, answer, request.text);
  }
  if (line.has("out")) {
    datasets::write_atomically(line.text("out"),
                               to_json(problem, answer, request.text).dump(1) + "\n");
  }
  for (const std::string& note : answer.notes) {
    std::fprintf(stderr, "%s\n", note.c_str());
  }
  std::fprintf(stderr,
               "planned in %s s: %llu examined\n",
               significant(elapsed).c_str(),
               static_cast<unsigned long long>(answer.examined));
  return 0;
}

}  // namespace berth::launcher
