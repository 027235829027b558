// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/logger.hpp"

#include "command_line.hpp"
#include "commands.hpp"
#include "datasets/graph_file.hpp"
#include "datasets/graph_summary.hpp"
#include "datasets/workloads/layered_random.hpp"
#include "datasets/workloads/workload.hpp"
#include "error_report.hpp"
#include "result_line.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kMostOps = 100'000'000;

std::string joined(std::span<const std::string_view> names) {
  std::string all;
  for (const std::string_view name : names) {
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  return all;
}

nlohmann::ordered_json summary_line(const std::string& file, const Graph& graph) {
  const datasets::GraphSummary summary = datasets::summarise(graph);
  const bool time = graph.cost_basis() == CostBasis::kTime;
  nlohmann::ordered_json line;
  line["graph"] = graph.name();
  line["file"] = file;
  line["ops"] = graph.num_ops();
  line["edges"] = graph.num_edges();
  line["sources"] = summary.sources;
  line["sinks"] = summary.sinks;
  line["levels"] = summary.levels;
  line["max_in_degree"] = summary.max_in_degree;
  line["max_out_degree"] = summary.max_out_degree;
  line["costs"] = time ? "time" : "physical";
  line["seconds_per_unit"] = graph.seconds_per_unit();
  line[time ? "total_work" : "total_flops"] = summary.total_work;
  line[time ? "longest_path" : "longest_path_flops"] = summary.longest_path;
  line[time ? "total_edge_size" : "total_edge_bytes"] = summary.total_edge_size;
  line["total_memory_bytes"] = summary.total_memory_bytes;
  line["distinct_costs"] = summary.distinct_costs;
  line["table_devices"] = graph.table_devices();
  line["kinds"] = nlohmann::ordered_json::object();
  for (const auto& [kind, ops] : summary.kinds) {
    line["kinds"][kind] = ops;
  }
  line["hash"] = hex(graph.hash());
  return line;
}

void print_json(const nlohmann::ordered_json& line) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  std::printf("%s\n", line.dump(-1, ' ', /*ensure_ascii=*/false, Handler::replace).c_str());
}

void print_summary(const nlohmann::ordered_json& line) {
  Table table({"key", "value"});
  for (const auto& [key, value] : line.items()) {
    if (key == "kinds") {
      for (const auto& [kind, ops] : value.items()) {
        table.add_row({"ops of kind " + kind, ops.dump()});
      }
    } else {
      table.add_row({key,
                     value.is_number_float() ? significant(value.get<double>(), 8)
                     : value.is_string()     ? value.get<std::string>()
                                             : value.dump()});
    }
  }
  print_text(table.text());
}

int run_info(std::span<const std::string> words) {
  CommandLine line("graph info",
                   "GRAPH... [--json]",
                   "Prints sizes, levels, costs and the hash of graphs; a folder stands for all "
                   "graph files in it.");
  line.add()("json", "one JSON line per graph");
  if (!line.parse(words)) {
    return 0;
  }
  if (line.positional().empty()) {
    throw InputError("berth graph info: no graph; expected files or folders");
  }
  StderrLogger logger(LogLevel::kWarning);
  const char* separator = "";
  for (const auto& file : datasets::expand_graph_paths(line.positional())) {
    const nlohmann::ordered_json summary =
        summary_line(file.string(), datasets::read_graph(file, logger));
    if (line.has("json")) {
      print_json(summary);
    } else {
      print_text(separator);
      print_summary(summary);
      separator = "\n";
    }
  }
  return 0;
}

/// What is true of a file, or of each file of a folder.
std::vector<nlohmann::ordered_json> validated(const std::string& word, Logger& logger) {
  std::vector<nlohmann::ordered_json> results;
  std::string file = word;
  const auto refuse = [&](const InputError& error) {
    results.push_back({{"file", file}, {"valid", false}, {"error", error.what()}});
  };
  std::vector<std::filesystem::path> paths;
  try {
    paths = datasets::expand_graph_paths(std::span(&word, 1));
  } catch (const InputError& error) {
    refuse(error);
  }
  for (const std::filesystem::path& path : paths) {
    file = path.string();
    try {
      const Graph graph = datasets::read_graph(path, logger);
      results.push_back({{"file", file},
                         {"valid", true},
                         {"ops", graph.num_ops()},
                         {"edges", graph.num_edges()}});
    } catch (const InputError& error) {
      refuse(error);
    }
  }
  return results;
}

void print_verdict(const nlohmann::ordered_json& result) {
  const std::string text = result.at("valid").get<bool>()
                               ? result.at("file").get<std::string>() + ": valid, " +
                                     result.at("ops").dump() + " ops, " +
                                     result.at("edges").dump() + " edges"
                               : result.at("error").get<std::string>();
  std::printf("%s\n", one_line(text).c_str());
}

int run_validate(std::span<const std::string> words) {
  CommandLine line("graph validate",
                   "GRAPH... [--json]",
                   "Reads graphs and says of each whether it is valid, and why not; exit code 2 if "
                   "any is not.");
  line.add()("json", "one JSON line per graph");
  if (!line.parse(words)) {
    return 0;
  }
  if (line.positional().empty()) {
    throw InputError("berth graph validate: no graph; expected files or folders");
  }
  StderrLogger logger(LogLevel::kWarning);
  bool all_valid = true;
  for (const std::string& word : line.positional()) {
    for (const nlohmann::ordered_json& result : validated(word, logger)) {
      all_valid = all_valid && result.at("valid").get<bool>();
      line.has("json") ? print_json(result) : print_verdict(result);
    }
  }
  return static_cast<int>(all_valid ? ExitCode::kOk : ExitCode::kBadInput);
}

int run_convert(std::span<const std::string> words) {
  CommandLine line("graph convert",
                   "GRAPH --out FILE [--format F] [--json]",
                   "Reads a graph of any format and writes it in another, or says what would be "
                   "lost.");
  const std::string formats = "format to write: " + joined(datasets::writable_formats());
  line.add()("out", po::value<std::string>(), "file to write");
  line.add()("format", po::value<std::string>()->default_value("berth"), formats.c_str());
  line.add()("json", "print the summary of the graph as a JSON line");
  if (!line.parse(words)) {
    return 0;
  }
  if (line.positional().size() != 1 || !line.has("out")) {
    throw InputError("berth graph convert: expected one graph and --out FILE");
  }
  StderrLogger logger(LogLevel::kWarning);
  const Graph graph = datasets::read_graph(line.positional()[0], logger);
  datasets::write_graph(graph, line.text("out"), line.text("format"));
  if (line.has("json")) {
    print_json(summary_line(line.text("out"), graph));
  }
  return 0;
}

datasets::WorkloadSpec workload_of(const CommandLine& line, const std::string& name) {
  datasets::WorkloadSpec spec;
  spec.name = name;
  spec.devices = static_cast<std::size_t>(line.integer("devices", 1, 1024));
  const std::string& costs = line.text("costs");
  if (costs != "reference" && costs != "physical") {
    throw InputError("--costs: '" + costs + "'; expected reference or physical");
  }
  spec.costs = costs == "physical" ? datasets::CostMode::kPhysical : datasets::CostMode::kReference;
  const std::string& sharding = line.text("sharding");
  if (sharding != "published" && sharding != "grid") {
    throw InputError("--sharding: '" + sharding + "'; expected published or grid");
  }
  spec.sharding =
      sharding == "grid" ? datasets::ShardingRule::kGrid : datasets::ShardingRule::kPublished;
  if (line.has("shard")) {
    for (const std::string& word : line.get<std::vector<std::string>>("shard")) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) {
        throw InputError("--shard: '" + word + "'; expected OPERATION=PARTS (e.g. 'scores=n2s2')");
      }
      spec.shards[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  if (line.has("extents")) {
    try {
      spec.extents = datasets::parse_parts(line.text("extents"), "extents");
    } catch (const InputError& error) {
      rethrow_with_context(error, "--extents");
    }
  }
  return spec;
}

/// Refuses options that the graph asked for does not heed.
void check_heeded(const CommandLine& line, const std::string& name) {
  constexpr std::array kOfLayered = {"ops", "layers", "degree", "ccr", "seed"};
  constexpr std::array kOfWorkloads = {"devices", "costs", "sharding", "shard", "extents"};
  const auto refuse = [&](const char* option, const char* who) {
    if (line.has(option) && !line.values()[option].defaulted()) {
      const bool layers = std::string_view(option) == "layers" && name == "llama-model";
      throw InputError("--" + std::string(option) + ": '" + name + "' does not heed it, " + who +
                       (layers ? "; expected --extents l12 for twelve layers" : ""));
    }
  };
  for (const char* option : kOfLayered) {
    if (std::ranges::count(datasets::workload_names(), name) > 0) {
      refuse(option, "layered graphs alone do");
    }
  }
  for (const char* option : kOfWorkloads) {
    if (name == "layered") {
      refuse(option, "workloads alone do");
    }
  }
}

Graph generate(const CommandLine& line, const std::string& name) {
  check_heeded(line, name);
  if (name != "layered") {
    return datasets::make_workload(workload_of(line, name));
  }
  datasets::LayeredSpec spec;
  spec.ops = static_cast<std::size_t>(line.integer("ops", 0, kMostOps));
  spec.layers = static_cast<std::size_t>(line.integer("layers", 0, kMostOps));
  spec.degree = static_cast<std::size_t>(line.integer("degree", 1, 1000));
  spec.ccr = line.real("ccr", 0.0, 1e9);
  spec.seed = static_cast<std::uint64_t>(line.integer("seed", 0, INT64_MAX));
  return datasets::make_layered_random(spec);
}

int run_generate(std::span<const std::string> words) {
  CommandLine line(
      "graph generate",
      "WORKLOAD --out FILE [options]",
      "Generates a graph: " + joined(datasets::workload_names()) +
          " (the workloads of the DOPPLER paper, and the model of its layer) or layered "
          "(random).");
  const auto word = [](const char* value) {
    return po::value<std::string>()->default_value(value);
  };
  line.add()("out", po::value<std::string>(), "file to write");
  line.add()("format", word("berth"), "format to write, as for berth graph convert");
  line.add()("devices", word("4"), "devices that the workload is cut for");
  line.add()("costs", word("reference"), "reference (as published) or physical (flops and bytes)");
  line.add()("sharding", word("published"), "published (4 and 8 devices, else grid) or grid");
  line.add()("shard",
             po::value<std::vector<std::string>>()->composing(),
             "OPERATION=PARTS, for example scores=n2s2; may be repeated");
  line.add()("extents",
             po::value<std::string>(),
             "elements along axes instead of the published ones, for example s256h512; of "
             "llama-model also its layers, l12");
  line.add()("ops", word("1000"), "layered: number of ops");
  line.add()("layers", word("0"), "layered: number of layers; 0: about the square root of ops");
  line.add()("degree", word("2"), "layered: predecessors of an op");
  line.add()("ccr", word("1"), "layered: mean edge size over mean work");
  line.add()("seed", word("0"), "layered: seed");
  line.add()("json", "print the summary of the graph as a JSON line");
  if (!line.parse(words)) {
    return 0;
  }
  if (line.positional().size() != 1 || !line.has("out")) {
    throw InputError("berth graph generate: expected one workload and --out FILE; workloads: " +
                     joined(datasets::workload_names()) + ", layered");
  }
  const Graph graph = generate(line, line.positional()[0]);
  datasets::write_graph(graph, line.text("out"), line.text("format"));
  if (line.has("json")) {
    print_json(summary_line(line.text("out"), graph));
  }
  return 0;
}

constexpr const char* kHelp =
    "Reads, checks, converts and generates graphs.\n\n"
    "usage: berth graph info GRAPH... [--json]\n"
    "       berth graph validate GRAPH... [--json]\n"
    "       berth graph convert GRAPH --out FILE [--format F] [--json]\n"
    "       berth graph generate WORKLOAD --out FILE [options]\n\n"
    "GRAPH is a file or a word as workload:llama-layer:4 or random:FAMILY:OPS:CCR:SEED.\n"
    "Each has --help.\n";

}  // namespace

int run_graph(std::span<const std::string> words) {
  if (!words.empty() && words[0] == "--help") {
    std::fputs(kHelp, stdout);
    return 0;
  }
  const std::vector<std::string> names = {"info", "validate", "convert", "generate"};
  const std::string action = words.empty() ? "" : words[0];
  const auto rest = words.empty() ? words : words.subspan(1);
  if (action == "info") {
    return run_info(rest);
  }
  if (action == "validate") {
    return run_validate(rest);
  }
  if (action == "convert") {
    return run_convert(rest);
  }
  if (action == "generate") {
    return run_generate(rest);
  }
  if (words.empty()) {
    throw InputError(
        "berth graph: expected info, validate, convert or generate; see berth graph "
        "--help");
  }
  const std::string near = nearest_name(action, names);
  throw InputError("berth graph: '" + action + "'; " +
                   (near.empty() ? "expected info, validate, convert or generate"
                                 : "did you mean '" + near + "'?"));
}

}  // namespace berth::launcher
