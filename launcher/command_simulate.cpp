// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <string>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"
#include "berth/simulator.hpp"

#include "command_line.hpp"
#include "commands.hpp"
#include "datasets/placement_file.hpp"
#include "datasets/trace_file.hpp"
#include "output_files.hpp"
#include "problem_arguments.hpp"
#include "result_line.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

std::string row_label(const std::string& file, std::size_t row, std::size_t rows) {
  return rows == 1 ? file : file + ":" + std::to_string(row + 1);
}

}  // namespace

int run_simulate(std::span<const std::string> words) {
  CommandLine line("simulate",
                   "GRAPH --topology T --placement FILE [options]",
                   "Plays placements of one graph in the simulator and prints the makespans.");
  add_problem_options(line);
  line.add()("placement",
             po::value<std::string>(),
             "placement JSON, or text with a comma-separated line of device ids per placement");
  line.add()("trace", po::value<std::string>(), "write the first execution as a Chrome trace here");
  line.add()("json", "one JSON line per placement");
  if (!line.parse(words)) {
    return 0;
  }
  StderrLogger logger(LogLevel::kWarning);
  const auto problems = problems_of(line, logger);
  if (problems.size() != 1 || !line.has("placement")) {
    throw InputError("berth simulate: expected one graph and --placement FILE");
  }
  check_output_files(line, {"trace"});
  const PlacementProblem& problem = *problems.front();
  warn_without_rates(problem, logger);
  const std::string file = line.text("placement");
  const auto placements = datasets::read_placements(file, problem, logger);
  Simulator simulator(problem);
  Table table({"placement", "makespan", "time", "lower bound", "gap"});
  for (std::size_t row = 0; row < placements.size(); ++row) {
    const double makespan = simulator.makespan(placements[row]);
    if (line.has("json")) {
      std::printf("%s\n", problem_line(problem, makespan, problem.lower_bound).dump().c_str());
    }
    table.add_row({row_label(file, row, placements.size()),
                   significant(makespan, 8),
                   format(Seconds{makespan * problem.costs.seconds_per_unit}),
                   significant(problem.lower_bound, 8),
                   percent(gap_of(problem, makespan, problem.lower_bound))});
  }
  if (!line.has("json")) {
    std::printf("%s on %s, model %s, discipline %s\n\n%s",
                problem.name.c_str(),
                problem.topology.name().c_str(),
                model_text(problem.execution).c_str(),
                std::string(name_of(problem.execution.discipline)).c_str(),
                table.text().c_str());
  }
  if (line.has("trace")) {
    datasets::write_chrome_trace(
        simulator.trace(placements.front()), problem.graph, problem.topology, line.text("trace"));
  }
  return 0;
}

}  // namespace berth::launcher
