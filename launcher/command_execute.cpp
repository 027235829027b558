// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "berth/error.hpp"
#include "berth/simulator.hpp"

#include "command_line.hpp"
#include "commands.hpp"
#include "datasets/placement_file.hpp"
#include "datasets/trace_file.hpp"
#include "execute_rounds.hpp"
#include "executor_arguments.hpp"
#include "job_ranks.hpp"
#include "output_files.hpp"
#include "plugin_arguments.hpp"
#include "policy_request.hpp"
#include "policy_run.hpp"
#include "problem_arguments.hpp"
#include "progress.hpp"
#include "quartiles.hpp"
#include "result_line.hpp"
#include "search_arguments.hpp"
#include "table.hpp"
#include "trained_policy.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

/// A placement and what it is called in tables.
struct Contender {
  std::string label;
  Placement placement;
};

std::vector<Contender> candidates_of(const CommandLine& line,
                                     PluginHost& host,
                                     const PlacementProblem& problem,
                                     Logger& logger) {
  std::vector<Contender> found;
  const auto files = line.has("placement") ? line.get<std::vector<std::string>>("placement")
                                           : std::vector<std::string>{};
  for (const std::string& file : files) {
    std::size_t row = 0;
    auto placements = datasets::read_placements(file, problem, logger);
    for (Placement& placement : placements) {
      const std::string label = placements.size() == 1 ? file : file + ":" + std::to_string(++row);
      found.push_back({label, std::move(placement)});
    }
  }
  if (line.has("policies")) {
    const SearchArguments search = search_of(line);
    const std::string checkpoint = checkpoint_of(line);
    const std::vector<PolicyRequest> requests = parse_policies(line.text("policies"));
    Progress progress("execute: placing", requests.size());
    for (const PolicyRequest& request : requests) {
      progress.next(problem.name + ", " + request.text);
      const MadePolicy made = make_policy(host, request, checkpoint, search.seed, logger);
      found.push_back(
          {request.text,
           run_with_search(problem, *made.policy, request.text, host, search).placement});
    }
  }
  if (found.empty()) {
    throw InputError("berth execute: nothing to run; expected --placement FILE or --policies P");
  }
  return found;
}

/// The first rank's candidates on every rank: a search that a clock ends differs from rank to rank.
std::vector<Contender> shared(const std::vector<Contender>& own, JobRanks& ranks) {
  nlohmann::json list = nlohmann::json::array();
  for (const Contender& candidate : own) {
    std::vector<std::uint32_t> devices;
    for (const DeviceId device : candidate.placement.device) {
      devices.push_back(static_cast<std::uint32_t>(device));
    }
    list.push_back({candidate.label, devices, candidate.placement.order});
  }
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(list);
  const std::string first = ranks.all_gather(
      ranks.rank() == 0 ? std::string(bytes.begin(), bytes.end()) : "", "placements", 0.0)[0];
  std::vector<Contender> found;
  for (const auto& row : nlohmann::json::from_cbor(first)) {
    Contender& candidate = found.emplace_back();
    candidate.label = row[0].get<std::string>();
    for (const auto& device : row[1]) {
      candidate.placement.device.push_back(to_id<DeviceId>(device.get<std::uint32_t>()));
    }
    candidate.placement.order = row[2].get<std::vector<double>>();
  }
  return found;
}

const char* name_of(RolloutStatus status) {
  constexpr const char* kNames[] = {"ok", "time-out", "out of memory", "failed"};
  return kNames[static_cast<std::size_t>(status)];
}

nlohmann::ordered_json json_line(const PlacementProblem& problem,
                                 const std::string& label,
                                 double simulated,
                                 const Measurement& measured,
                                 const std::string& description) {
  nlohmann::ordered_json line = problem_line(problem, simulated, problem.lower_bound);
  line["placement"] = label;
  line["status"] = name_of(measured.status);
  line["reason"] = measured.reason;
  line["seconds"] = measured.seconds;
  line["median_seconds"] = measured.status == RolloutStatus::kOk
                               ? nlohmann::ordered_json(measured.median_seconds)
                               : nlohmann::ordered_json();
  line["executor"] = description;
  return line;
}

std::vector<std::string> row_of(const std::string& label,
                                double simulated_seconds,
                                const Measurement& measured,
                                double beside_first) {
  if (measured.status != RolloutStatus::kOk) {
    return {label,
            name_of(measured.status),
            "-",
            "-",
            "-",
            "-",
            berth::format(Seconds{simulated_seconds}),
            "-",
            "-"};
  }
  const Quartiles quartiles = quartiles_of(measured.seconds);
  const auto [least, most] = std::ranges::minmax(measured.seconds);
  return {label,
          "ok",
          berth::format(Seconds{measured.median_seconds}),
          berth::format(Seconds{quartiles.first}) + " - " + berth::format(Seconds{quartiles.third}),
          berth::format(Seconds{least}),
          berth::format(Seconds{most}),
          berth::format(Seconds{simulated_seconds}),
          fixed(measured.median_seconds / simulated_seconds, 3),
          std::isfinite(beside_first) && beside_first > 0.0 ? fixed(beside_first, 3) : "-"};
}

/// What every rank does; the first prints.
int execute(const CommandLine& line, JobRanks& ranks) {
  const bool prints = ranks.rank() == 0;
  StderrLogger logger(prints ? LogLevel::kWarning : LogLevel::kError);
  const ExecutorArguments arguments = executor_of(line);
  const double silence_seconds = line.real("watchdog-seconds", 0.0, 1e6);
  if (prints) {
    check_output_files(line, {"trace"});
  }
  const auto host = make_plugin_host(line.values(), logger);
  const auto problem = executed_problem(line, logger);
  const std::vector<Contender> candidates = shared(
      prints ? candidates_of(line, *host, *problem, logger) : std::vector<Contender>{}, ranks);
  const double longest_run = arguments.measure.timeout_seconds;
  ranks.watch(silence_seconds, longest_run > 0.0 ? longest_run : silence_seconds);
  const auto executor = open_executor(*host,
                                      arguments.executor,
                                      arguments.emulate_links,
                                      *problem,
                                      ranks.size() > 1 ? &ranks : nullptr);
  const std::string description = executor->description();
  warn_without_rates(*problem, logger);
  Simulator simulator(*problem);
  std::vector<Placement> placements;
  for (const Contender& candidate : candidates) {
    placements.push_back(candidate.placement);
  }
  const std::vector<Measurement> measurements = [&] {
    Progress progress("execute: running", 1, prints ? Progress::Shown::kYes : Progress::Shown::kNo);
    progress.next(std::to_string(placements.size()) +
                  (placements.size() == 1 ? " placement" : " placements"));
    return line.has("interleave") ? measure_in_turn(placements, *executor, arguments.measure)
                                  : measure_one_by_one(placements, *executor, arguments.measure);
  }();
  Table summary({"placement",
                 "status",
                 "median",
                 "quartiles",
                 "least",
                 "most",
                 "simulated",
                 "ratio",
                 line.has("interleave") ? "/ first" : "/ first's median"});
  std::string runs;
  bool failed = false;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Contender& candidate = candidates[i];
    const Measurement& measured = measurements[i];
    const double simulated =
        simulator.makespan(candidate.placement.device, candidate.placement.order);
    failed = failed || measured.status != RolloutStatus::kOk;
    if (line.has("json") && prints) {
      std::printf(
          "%s\n",
          json_line(*problem, candidate.label, simulated, measured, description).dump().c_str());
    }
    summary.add_row(row_of(candidate.label,
                           simulated * problem->costs.seconds_per_unit,
                           measured,
                           line.has("interleave")
                               ? paired_ratio(measured.seconds, measurements[0].seconds)
                               : measured.median_seconds / measurements[0].median_seconds));
    runs += "\n" + candidate.label + ":";
    for (const double seconds : measured.seconds) {
      runs += " " + berth::format(Seconds{seconds});
    }
    runs += measured.reason.empty() ? "" : " " + measured.reason;
  }
  if (!line.has("json") && prints) {
    std::printf("%s on %s: %s\nsimulated under %s; %u warm-up, %u repeats\n\n%s%s\n",
                problem->name.c_str(),
                problem->topology.name().c_str(),
                description.c_str(),
                model_text(problem->execution).c_str(),
                arguments.measure.warm_up,
                arguments.measure.repeats,
                summary.text().c_str(),
                runs.c_str());
  }
  if (line.has("trace") && failed && prints) {
    logger.warning("no trace written, as not all placements ran", {{"file", line.text("trace")}});
  }
  if (line.has("trace") && !failed) {
    const Trace trace = executor->last_trace();  // of all ranks, by all
    if (prints) {
      datasets::write_chrome_trace(trace, problem->graph, problem->topology, line.text("trace"));
    }
  }
  return static_cast<int>(failed ? ExitCode::kRunFailed : ExitCode::kOk);
}

}  // namespace

int run_execute(std::span<const std::string> words) {
  CommandLine line("execute",
                   "GRAPH --topology T --placement FILE | --policies P,... [options]",
                   "Runs placements of one graph on real devices and prints every repeat, beside "
                   "what the simulator says: under links, or pull for cores without emulated "
                   "links, unless --model "
                   "is given. Under mpirun the ranks share the devices of each placement, each "
                   "with its own, if the executor can (cuda).");
  add_problem_options(line, kExecutedModelShown);
  add_search_options(line);
  add_executor_options(line);
  add_plugin_arguments(line.options());
  line.add()("placement",
             po::value<std::vector<std::string>>(),
             "placement JSON, or text with a comma-separated line of device ids per placement; "
             "repeatable");
  line.add()("policies", po::value<std::string>(), "policies whose placements to run: heft,...");
  line.add()("checkpoint",
             po::value<std::string>(),
             "trained state of the policy: a checkpoint, or a run's folder (its best one)");
  line.add()("interleave",
             "run all placements in turn, --repeats times over, forth and back, so that what the "
             "host does meanwhile falls on all; adds the ratio to the first placement's runs of "
             "the same round");
  line.add()("trace", po::value<std::string>(), "write the last run as a Chrome trace here");
  line.add()("watchdog-seconds",
             po::value<std::string>()->default_value("300"),
             "under mpirun: longest silence of another rank; 0: for ever");
  line.add()("json", "one JSON line per placement");
  if (!line.parse(words)) {
    return 0;
  }
  return JobRanks::run([&line](JobRanks& ranks) { return execute(line, ranks); });
}

}  // namespace berth::launcher
