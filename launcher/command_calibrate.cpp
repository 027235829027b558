// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "calibration/calibration.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "datasets/graph_file.hpp"
#include "datasets/topology_file.hpp"
#include "executor_arguments.hpp"
#include "output_files.hpp"
#include "plugin_arguments.hpp"
#include "problem_arguments.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

/// One cost model against what was measured.
struct AgreementRow {
  std::string costs;
  Agreement agreement;
};

void print_rates(const Calibration& found) {
  Table table({"op", "rate", "memory", "overhead"});
  for (const OpRate& rate : found.rates) {
    table.add_row({rate.name,
                   rate.peak.value >= kUnlimitedFlops ? "no limit" : format(rate.peak),
                   rate.memory_bandwidth.value > 0.0 ? format(rate.memory_bandwidth) : "no limit",
                   format(rate.launch_overhead)});
  }
  std::printf("%s", table.text().c_str());
  if (!found.shape_rates.empty()) {
    std::printf("and %zu for single shapes of these, which hold before them\n",
                found.shape_rates.size());
  }
}

nlohmann::ordered_json json_of(const PlacementProblem& problem,
                               const Calibration& found,
                               const std::vector<AgreementRow>& rows) {
  nlohmann::ordered_json line;
  line["graph"] = problem.name;
  line["model"] = std::string(name_of(problem.execution.model));
  line["placements"] = found.placements.size();
  line["failed"] = found.failed;
  line["failed_beside"] = found.failed_beside;
  line["reason"] = found.reason;
  line["dispatch_seconds"] = found.dispatch_seconds;
  line["slowdown"] = found.slowdown;
  line["stall"] = found.stall;
  line["variation"] = found.variation;
  if (!found.first_seconds.empty()) {
    const Agreement halves = agreement(found.first_seconds, found.again_seconds);
    line["ceiling"] = {{"between_halves", halves.rank}, {"perfect_model", best_rank(halves.rank)}};
  }
  for (const AgreementRow& row : rows) {
    line["costs"].push_back({{"costs", row.costs},
                             {"rank_correlation", row.agreement.rank},
                             {"mean_error", row.agreement.mean_error},
                             {"predicted_over_measured", row.agreement.mean_ratio}});
  }
  for (const auto& [key, rates] :
       {std::pair{"rates", &found.rates}, std::pair{"shape_rates", &found.shape_rates}}) {
    line[key] = nlohmann::ordered_json::array();  // also where there are none
    for (const OpRate& rate : *rates) {
      line[key].push_back({{"name", rate.name},
                           {"flops_per_second", rate.peak.value},
                           {"bytes_per_second", rate.memory_bandwidth.value},
                           {"overhead_seconds", rate.launch_overhead.value}});
    }
  }
  return line;
}

void print_report(const PlacementProblem& problem,
                  const Calibration& found,
                  const std::vector<AgreementRow>& rows,
                  const std::string& description) {
  std::printf("%s on %s: %s\n\n",
              problem.name.c_str(),
              problem.topology.name().c_str(),
              description.c_str());
  print_rates(found);
  std::printf("\nbetween two ops of a device: %s", format(Seconds{found.dispatch_seconds}).c_str());
  if (found.slowdown > 0.0) {
    std::printf("; ops beside a busy device take %.3f of their time alone", found.slowdown);
  }
  if (!found.run_seconds.empty()) {
    std::printf("; runs take %.3f of what their ops add up to", found.stall);
  }
  if (found.variation > 0.0) {
    std::printf("; an op's time varies by %.1f %% from run to run", 100.0 * found.variation);
  }
  if (found.transfers > 0 && found.link.slope > 0.0) {
    std::printf("; a transfer (%zu measured): %s and %s",
                found.transfers,
                format(Seconds{found.link.offset}).c_str(),
                format(BytesPerSecond{1.0 / found.link.slope}).c_str());
  }
  if (found.failed_beside > 0) {
    std::printf("; %zu of what was to be fitted did not run", found.failed_beside);
  }
  std::printf("\n\n%zu random placements that were not fitted (%zu failed), model %s:\n",
              found.placements.size(),
              found.failed,
              model_text(problem.execution).c_str());
  if (!found.reason.empty()) {
    std::printf("the last that did not run: %s\n", found.reason.c_str());
  }
  std::printf("\n");
  Table table({"costs", "rank correlation", "mean error", "predicted / measured"});
  for (const AgreementRow& row : rows) {
    table.add_row({row.costs,
                   std::isnan(row.agreement.rank) ? "-" : fixed(row.agreement.rank, 3),
                   percent(row.agreement.mean_error),
                   fixed(row.agreement.mean_ratio, 3)});
  }
  std::printf("%s", table.text().c_str());
  if (!found.first_seconds.empty()) {
    const Agreement halves = agreement(found.first_seconds, found.again_seconds);
    std::printf("ceiling: rounds that agree at %.3f leave a perfect model %.3f\n",
                halves.rank,
                best_rank(halves.rank));
  }
}

CalibrationSpec spec_of(const CommandLine& line, const ExecutorArguments& arguments) {
  CalibrationSpec spec;
  spec.fitted = static_cast<std::size_t>(line.integer("fit", 0, 1000000));
  spec.compared = static_cast<std::size_t>(line.integer("compare", 2, 1000000));
  spec.seed = static_cast<std::uint64_t>(line.integer("seed", 0, std::int64_t{1} << 53));
  const std::string& balance = line.text("balance");
  if (balance != "even" && balance != "any") {
    throw InputError("--balance: '" + balance + "'; expected even or any");
  }
  spec.balance = balance == "even" ? Balance::kEven : Balance::kAny;
  spec.measure = arguments.measure;
  spec.fit_links = !arguments.emulate_links;
  return spec;
}

int calibrate_from(const CommandLine& line) {
  StderrLogger logger(LogLevel::kWarning);
  const ExecutorArguments arguments = executor_of(line);
  const CalibrationSpec spec = spec_of(line, arguments);
  check_output_files(line, {"out", "graph-out"});
  const auto host = make_plugin_host(line.values(), logger);
  const auto problem = executed_problem(line, logger);
  if (problem->graph.cost_basis() != CostBasis::kPhysical) {
    throw InputError(problem->name +
                     ": costs are times, which nothing is fitted to; expected a graph with "
                     "physical costs, for example workload:ffnn:2:physical:b1024h2048");
  }
  warn_without_rates(*problem, logger);
  const auto executor = open_executor(*host, arguments.executor, arguments.emulate_links, *problem);
  const Calibration found = calibrate(*problem, *executor, spec);
  const std::size_t devices = problem->topology.num_devices();
  const Topology topology = calibrated_topology(problem->topology, found, spec.fit_links);
  const Graph table = calibrated_graph(problem->graph, found.op_seconds, devices);
  const auto priced = [&](const Graph& graph, const Topology& on) {
    return make_problem(problem->name, graph, on, problem->execution);
  };
  const auto fitted = priced(untimed_graph(problem->graph), topology);
  std::vector<AgreementRow> rows = {
      {"as given", agreement(*priced(problem->graph, problem->topology), found)},
      {"fitted rates", agreement(*fitted, found)}};
  if (found.variation > 0.0) {
    rows.push_back({"fitted rates, varied", agreement_of_varied(*fitted, found)});
  }
  rows.push_back({"measured op by op", agreement(*priced(table, topology), found)});
  if (!found.run_seconds.empty()) {
    rows.push_back({"measured run by run", agreement_by_runs(*fitted, found)});
  }
  if (!found.again_seconds.empty()) {
    rows.push_back({"none: other rounds", agreement(found.first_seconds, found.again_seconds)});
  }
  if (line.has("json")) {
    std::printf("%s\n", json_of(*problem, found, rows).dump().c_str());
  } else {
    print_report(*problem, found, rows, executor->description());
  }
  if (rows[1].agreement.mean_error > rows[0].agreement.mean_error) {
    logger.warning(
        "the fitted rates predict worse than the costs as given; more --fit and "
        "--repeats may help, or fewer threads than cores",
        {{"graph", problem->name}, {"topology", problem->topology.name()}});
  }
  if (line.has("out")) {
    datasets::write_topology(topology, line.text("out"));
  }
  if (line.has("graph-out")) {
    datasets::write_graph(table, line.text("graph-out"), "berth");
  }
  return 0;
}

}  // namespace

int run_calibrate(std::span<const std::string> words) {
  CommandLine line(
      "calibrate",
      "GRAPH --topology T --out TOPOLOGY.json [options]",
      "Measures ops and transfers of one graph on real devices, fits the cost model to "
      "them, and says how well it then tells placements apart. The model is links, "
      "or pull for cores without emulated links, unless --model is given.");
  add_problem_options(line, kExecutedModelShown);
  add_executor_options(line);
  add_plugin_arguments(line.options());
  line.add()("fit",
             po::value<std::string>()->default_value("20"),
             "random placements whose ops are fitted, besides all ops on one device");
  line.add()("compare",
             po::value<std::string>()->default_value("100"),
             "other random placements, on which simulated and measured times are compared");
  line.add()("balance",
             po::value<std::string>()->default_value("even"),
             "random placements: even, every device as likely for every op; any, each placement "
             "first draws how likely each device is");
  line.add()("seed", po::value<std::string>()->default_value("1"), "seed of the placements");
  line.add()("out", po::value<std::string>(), "write the topology with fitted rates and links");
  line.add()("graph-out",
             po::value<std::string>(),
             "write the graph with the measured time of every op on every device");
  line.add()("json", "the result as one JSON line");
  if (!line.parse(words)) {
    return 0;
  }
  return calibrate_from(line);
}

}  // namespace berth::launcher
