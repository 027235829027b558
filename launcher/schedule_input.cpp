// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule_input.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"

#include "atomic_file.hpp"
#include "plan_throughputs.hpp"
#include "throughput_estimate.hpp"
#include "trace_words.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

std::optional<datasets::ThroughputTable> read_table(const CommandLine& line,
                                                    const Cluster& cluster,
                                                    std::string& source) {
  if (line.has("throughputs") && line.has("throughputs-from-plans")) {
    throw InputError("--throughputs and --throughputs-from-plans: both given; expected one");
  }
  // An option that would change nothing is refused rather than ignored.
  if (!line.values()["throughput-table"].defaulted() &&
      (!line.has("throughputs") || line.text("throughputs") == "estimated")) {
    throw InputError(
        "--throughput-table: has no effect without a table to choose from; expected "
        "--throughputs CSV beside it");
  }
  if (line.has("throughputs-from-plans")) {
    source = "plans of " + line.text("throughputs-from-plans");
    return datasets::read_plan_throughputs(line.text("throughputs-from-plans"));
  }
  if (!line.has("throughputs")) {
    return std::nullopt;
  }
  if (line.text("throughputs") != "estimated") {
    source = line.text("throughputs");
    return datasets::ThroughputTable(line.text("throughputs"), line.text("throughput-table"));
  }
  source = "estimated from data sheets, not measured";
  // Generated traces size their jobs on a V100, whatever the cluster has.
  std::vector<std::string> gpus(cluster.type_names().begin(), cluster.type_names().end());
  gpus.emplace_back("v100");
  return datasets::estimate_throughputs(gpus);
}

}  // namespace

void add_throughput_arguments(CommandLine& line) {
  line.add()("throughputs",
             po::value<std::string>()->value_name("CSV"),
             "steps/s of every model and gang, or 'estimated': from data sheets; not needed where "
             "the trace states rates")(
      "throughput-table",
      po::value<std::string>()->default_value("simulation")->value_name("NAME"),
      "which table of a CSV that holds several")(
      "throughputs-from-plans",
      po::value<std::string>()->value_name("DIR"),
      "rates from files JOB@ACCELERATOR@GANG.json that berth plan or berth place wrote")(
      "write-throughputs",
      po::value<std::string>()->value_name("FILE"),
      "writes the table in use as CSV, to look at or to edit");
}

ScheduleInput read_schedule_input(const CommandLine& line, const Cluster& cluster) {
  ScheduleInput input;
  const std::optional<datasets::ThroughputTable> table =
      read_table(line, cluster, input.throughputs);
  const std::vector<datasets::TraceJob> trace =
      datasets::make_trace(line.positional().front(), table);
  if (table && std::ranges::none_of(trace, [](const auto& job) { return job.rates.empty(); })) {
    const char* option = line.has("throughputs") ? "throughputs" : "throughputs-from-plans";
    throw InputError(line.positional().front() + ": the trace states rates; --" + option +
                     " would not be used; expected one without the other");
  }
  if (line.has("write-throughputs")) {
    if (!table) {
      throw InputError("--write-throughputs: there is no table; name one with --throughputs");
    }
    std::ostringstream out;
    table->write_csv(out);
    datasets::write_atomically(line.text("write-throughputs"), out.str());
  }
  input.jobs = datasets::price_jobs(trace, cluster, table, cluster.type_names()[0]);
  return input;
}

}  // namespace berth::launcher
