// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_operators.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include <boost/program_options/value_semantic.hpp>
#include <nlohmann/json.hpp>

#include "berth/error.hpp"
#include "berth/logger.hpp"
#include "berth/operator_scheduler.hpp"

#include "datasets/atomic_file.hpp"
#include "datasets/models/operator_file.hpp"
#include "datasets/source_text.hpp"
#include "output_files.hpp"
#include "plugin_arguments.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;
using nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;

const char* name_of(Certificate certificate) {
  switch (certificate) {
    case Certificate::kOptimal:
      return "optimal";
    case Certificate::kWithinGap:
      return "within gap";
    case Certificate::kTimeLimit:
      return "time limit";
  }
  return "?";
}

double gap(double makespan, double bound) {
  return makespan <= bound ? 0.0 : bound > 0.0 ? makespan / bound - 1.0 : 1.0;
}

struct Timed {
  OperatorSchedule schedule;
  double seconds = 0.0;
};

Timed timed_schedule(OperatorScheduler& scheduler,
                     const OperatorGraph& graph,
                     const SolverLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  Timed timed;
  timed.schedule = scheduler.schedule(graph, limits);
  timed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return timed;
}

// Makespans as rows of a layer profile: one a layer and tensor width, both directions.
class LayerProfile {
 public:
  void add(const datasets::NamedOperators& named, double seconds) {
    if (!model_.empty() && model_ != named.model) {
      mixed_ = true;
    }
    model_ = named.model;
    rows_[{named.part, named.tensor}][named.direction == "fwd" ? 0 : 1] = seconds;
  }

  // @throws InputError for graphs of several models, or a direction without the other one.
  [[nodiscard]] std::string text() const {
    if (mixed_) {
      throw InputError("--layer-profile: graphs of several models; expected one, see --graphs");
    }
    std::string out = "layer,tensor,micro_batch,forward_us,backward_us\n";
    for (const auto& [key, seconds] : rows_) {
      if (seconds[0] < 0.0 || seconds[1] < 0.0) {
        throw InputError("--layer-profile: " + key.first + " of tensor width " +
                         std::to_string(key.second) + " in one direction alone; expected both");
      }
      out += key.first + "," + std::to_string(key.second) + ",1," +
             fixed(seconds[0] * kMicroseconds, 4) + "," + fixed(seconds[1] * kMicroseconds, 4) +
             "\n";
    }
    return out;
  }

 private:
  struct Directions {
    double seconds[2] = {-1.0, -1.0};
    double& operator[](std::size_t i) { return seconds[i]; }
    double operator[](std::size_t i) const { return seconds[i]; }
  };
  std::string model_;
  bool mixed_ = false;
  std::map<std::pair<std::string, std::uint32_t>, Directions> rows_;
};

ordered_json schedule_line(const datasets::NamedOperators& named, const Timed& timed) {
  const OperatorSchedule& schedule = timed.schedule;
  ordered_json line = {{"graph", named.graph.name},
                       {"operators", named.graph.operators.size()},
                       {"critical_bound_us", operator_bound(named.graph) * kMicroseconds},
                       {"lower_bound_us", schedule.lower_bound_seconds * kMicroseconds},
                       {"sequential_us", sequential_seconds(named.graph) * kMicroseconds},
                       {"list_us", schedule.list_seconds * kMicroseconds},
                       {"makespan_us", schedule.makespan_seconds * kMicroseconds},
                       {"gap", gap(schedule.makespan_seconds, schedule.lower_bound_seconds)},
                       {"certificate", name_of(schedule.certificate)},
                       {"seconds", timed.seconds},
                       {"start_us", ordered_json::array()},
                       {"alone", ordered_json::array()}};
  for (std::size_t v = 0; v < schedule.start_seconds.size(); ++v) {
    line["start_us"].push_back(schedule.start_seconds[v] * kMicroseconds);
    line["alone"].push_back(schedule.exclusive[v] != 0);
  }
  return line;
}

int schedule_graphs(const CommandLine& line,
                    OperatorScheduler& scheduler,
                    const SolverLimits& limits) {
  auto graphs = datasets::read_operator_file(line.text("layer-schedule"));
  if (line.has("graphs")) {
    std::erase_if(graphs, [&](const datasets::NamedOperators& named) {
      return named.graph.name.find(line.text("graphs")) == std::string::npos;
    });
    if (graphs.empty()) {
      throw InputError("--graphs: no graph of the file is called like '" + line.text("graphs") +
                       "'; expected part of a name such as 'bert t1'");
    }
  }
  LayerProfile profile;
  Table table({"graph",
               "operators",
               "sequential us",
               "list us",
               "makespan us",
               "critical bound us",
               "proved bound us",
               "gap",
               "certificate",
               "ms"});
  for (const datasets::NamedOperators& named : graphs) {
    if (line.has("lp")) {
      std::string file = named.graph.name + ".lp";
      std::replace_if(
          file.begin(), file.end(), [](char c) { return c == ' ' || c == '/'; }, '_');
      std::filesystem::create_directories(line.text("lp"));
      datasets::write_atomically(std::filesystem::path(line.text("lp")) / file,
                                 scheduler.program(named.graph));
    }
    const Timed timed = timed_schedule(scheduler, named.graph, limits);
    profile.add(named, timed.schedule.makespan_seconds);
    if (line.has("json")) {
      std::printf("%s\n", schedule_line(named, timed).dump().c_str());
      std::fflush(stdout);
      continue;
    }
    const OperatorSchedule& schedule = timed.schedule;
    table.add_row(
        {named.graph.name,
         std::to_string(named.graph.operators.size()),
         fixed(sequential_seconds(named.graph) * kMicroseconds, 3),
         fixed(schedule.list_seconds * kMicroseconds, 3),
         fixed(schedule.makespan_seconds * kMicroseconds, 3),
         fixed(operator_bound(named.graph) * kMicroseconds, 3),
         fixed(schedule.lower_bound_seconds * kMicroseconds, 3),
         fixed(100.0 * gap(schedule.makespan_seconds, schedule.lower_bound_seconds), 3) + " %",
         name_of(schedule.certificate),
         fixed(timed.seconds * 1e3, 0)});
  }
  if (!line.has("json")) {
    std::printf("%s", table.text().c_str());
  }
  if (line.has("layer-profile")) {
    datasets::write_atomically(line.text("layer-profile"), profile.text());
  }
  return 0;
}

int solve_program(const CommandLine& line,
                  OperatorScheduler& scheduler,
                  const SolverLimits& limits) {
  const datasets::SourceText source = datasets::load_source(line.text("layer-schedule"));
  const auto start = std::chrono::steady_clock::now();
  ProgramAnswer answer;
  try {
    answer = scheduler.solve(source.text, limits);
  } catch (const InputError& error) {
    rethrow_with_context(error, source.place);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!answer.feasible) {
    throw SolverError(source.place + (answer.certificate == Certificate::kTimeLimit
                                          ? ": no solution found within the time limit"
                                          : ": proved to have no solution"));
  }
  const double reached = gap(answer.objective, answer.bound);
  if (line.has("json")) {
    ordered_json json = {{"program", source.place},
                         {"rows", answer.rows},
                         {"columns", answer.columns},
                         {"binaries", answer.binaries},
                         {"objective", answer.objective},
                         {"bound", answer.bound},
                         {"gap", reached},
                         {"certificate", name_of(answer.certificate)},
                         {"seconds", seconds},
                         {"values", ordered_json::object()}};
    for (const auto& [name, value] : answer.values) {
      json["values"][name] = value;
    }
    std::printf("%s\n", json.dump().c_str());
    return 0;
  }
  std::printf("%s: %llu rows, %llu columns, %llu binaries\n",
              source.place.c_str(),
              static_cast<unsigned long long>(answer.rows),
              static_cast<unsigned long long>(answer.columns),
              static_cast<unsigned long long>(answer.binaries));
  std::printf("objective %s, bound %s, gap %s %%: %s, %s s\n",
              fixed(answer.objective, 4).c_str(),
              fixed(answer.bound, 4).c_str(),
              fixed(100.0 * reached, 3).c_str(),
              name_of(answer.certificate),
              fixed(seconds, 2).c_str());
  return 0;
}

}  // namespace

void add_operator_options(CommandLine& line) {
  line.add()("layer-schedule",
             po::value<std::string>()->value_name("FILE"),
             "schedule the operators of one layer: operator graphs (.jsonl), or an integer program "
             "in CPLEX LP format (.lp)")(
      "gap",
      po::value<std::string>()->value_name("SHARE")->default_value("0"),
      "layer schedule: gap to the proved bound that is good enough, 0 to 1")(
      "solver-seconds",
      po::value<std::string>()->value_name("S")->default_value("5"),
      "layer schedule: time for the integer program of one graph")(
      "graphs",
      po::value<std::string>()->value_name("TEXT"),
      "layer schedule: only the graphs whose name contains this, such as 'bert t1'")(
      "layer-profile",
      po::value<std::string>()->value_name("FILE"),
      "layer schedule: also write the makespans as a profile for --profile (micro-batch 1)")(
      "lp",
      po::value<std::string>()->value_name("DIR"),
      "layer schedule: also write the integer programs there");
}

int plan_operators(const CommandLine& line) {
  const SolverLimits limits{line.real("gap", 0, 1), line.real("solver-seconds", 0, 1e6)};
  check_output_files(line, {"layer-profile"});
  check_output_folders(line, {"lp"});
  StderrLogger logger(LogLevel::kWarning);
  const auto host = make_plugin_host(line.values(), logger);
  const Config config = host->options(OperatorScheduler::kInterface, "nest");
  const auto scheduler = host->operator_scheduler("nest", config, 1);
  const std::string& file = line.text("layer-schedule");
  return file.ends_with(".lp") ? solve_program(line, *scheduler, limits)
                               : schedule_graphs(line, *scheduler, limits);
}

}  // namespace berth::launcher
