// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <optional>

#include <boost/program_options/value_semantic.hpp>

#include "berth/cluster_metrics.hpp"
#include "berth/cluster_simulator.hpp"
#include "berth/error.hpp"
#include "berth/forked_simulator.hpp"
#include "berth/plugin_host.hpp"

#include "cluster_file.hpp"
#include "command.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "output_files.hpp"
#include "plugin_arguments.hpp"
#include "policy_request.hpp"
#include "schedule_input.hpp"
#include "schedule_output.hpp"
#include "schedule_report.hpp"
#include "schedule_requests.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

void declare_schedule(CommandLine& line) {
  const auto text = [](const char* fallback, const char* shown) {
    return po::value<std::string>()->default_value(fallback)->value_name(shown);
  };
  auto add = line.add();
  add("cluster",
      po::value<std::string>()->value_name("C"),
      "accelerators, e.g. v100:20/4,p100:20/4,k80:20/4 (all / per machine), or a JSON file");
  add("scheduler",
      text("fifo", "NAMES"),
      "one or more, e.g. fifo,gavel-isolated, or all; with --fork hadare if not given");
  add("round-seconds", text("360", "S"), "length of a round");
  add("round-end",
      text("fixed", "HOW"),
      "fixed, latest-finish, backfill (cut by every finish), or event (also by arrivals)");
  add("mix", text("min", "RULE"), "gangs over several types: min, balanced or off");
  add("spread", text("measured", "HOW"), "rate of a gang on several machines: measured or off");
  add("restart-seconds", text("10", "S"), "cost of every resume or move");
  add("execute-from",
      text("round-start", "WHEN"),
      "when a round's jobs begin to count as busy: round-start or previous-round-end");
  add("utilisation-from",
      text("first-arrival", "WHEN"),
      "when accelerators begin to count in the utilisation of --json: first-arrival or time-zero");
  add("steps", text("whole", "HOW"), "made in a round: whole or fractional");
  add("min-steps-per-worker",
      text("0", "N"),
      "a round with fewer fails, the fifth failure in a row drops the job; 0: no such rule");
  add("idle",
      text("waits", "HOW"),
      "where nothing runs the clock waits a round or jumps to the next arrival");
  add("gavel", "the clock and costs of Gavel's simulator, and its mechanism where there is one");
  add("seed", text("0", "N"), "of everything random");
  add("bound",
      text("lp", "HOW"),
      "lower bound of TTD beside the results: lp (by gavel-makespan, or hadare with --fork) or "
      "none");
  add("fork", "HadarE: copies of a job train at once on separate nodes of one accelerator");
  add("aggregation-seconds", text("5", "S"), "with --fork: per slot of a job with several copies");
  add("lost-copies", text("0", "SHARE"), "with --fork: share of copies whose slot is lost");
  add("explain", po::value<std::string>()->value_name("JOB"), "why this job ran or waited");
  add("csv", po::value<std::string>()->value_name("FILE"), "per-job results of the last scheduler");
  add("report", po::value<std::string>()->value_name("FILE"), "HTML page with Gantt charts");
  add("json", "one JSON document per scheduler on standard output");
  add("execute", "train a mix for real instead; see berth schedule --execute --help");
  add_throughput_arguments(line);
  add_plugin_arguments(line.options());
}

template <class Value>
Value choice(const CommandLine& line,
             const std::string& option,
             std::initializer_list<std::pair<const char*, Value>> values) {
  std::string known;
  for (const auto& [name, value] : values) {
    if (line.text(option) == name) {
      return value;
    }
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw InputError("--" + option + ": '" + line.text(option) + "'; expected one of " + known);
}

/// An option that would change nothing is refused rather than ignored.
void refuse_without_effect(const CommandLine& line) {
  const auto refuse = [&line](const char* mode, std::initializer_list<const char*> options) {
    for (const char* option : options) {
      if (line.has(option) && !line.values()[option].defaulted()) {
        throw InputError("--" + std::string(option) + ": has no effect " + mode +
                         "; expected one without the other");
      }
    }
  };
  if (line.has("fork")) {
    refuse("with --fork",
           {"gavel",
            "round-end",
            "mix",
            "spread",
            "execute-from",
            "utilisation-from",
            "steps",
            "min-steps-per-worker",
            "idle"});
  } else if (line.has("gavel")) {
    refuse("with --gavel",
           {"round-end",
            "mix",
            "spread",
            "restart-seconds",
            "execute-from",
            "utilisation-from",
            "steps",
            "min-steps-per-worker",
            "idle"});
  }
  if (!line.has("fork")) {
    for (const char* option : {"aggregation-seconds", "lost-copies"}) {
      if (!line.values()[option].defaulted()) {
        throw InputError("--" + std::string(option) +
                         ": has no effect by itself; expected --fork beside it");
      }
    }
  }
}

ClusterSimulationOptions simulation_options(const CommandLine& line) {
  ClusterSimulationOptions options;
  if (line.has("gavel")) {
    options = ClusterSimulationOptions::gavel();
  } else {
    options.round_end = choice<RoundEnd>(line,
                                         "round-end",
                                         {{"fixed", RoundEnd::kFixed},
                                          {"latest-finish", RoundEnd::kLatestFinish},
                                          {"backfill", RoundEnd::kBackfill},
                                          {"event", RoundEnd::kEvent}});
    options.gangs.mix = choice<MixRule>(
        line,
        "mix",
        {{"min", MixRule::kMin}, {"balanced", MixRule::kBalanced}, {"off", MixRule::kOff}});
    options.gangs.measured_spread =
        choice<bool>(line, "spread", {{"measured", true}, {"off", false}});
    options.gangs.restart_seconds = line.real("restart-seconds", 0.0, 1e9);
    options.execute_from =
        choice<ExecuteFrom>(line,
                            "execute-from",
                            {{"round-start", ExecuteFrom::kRoundStart},
                             {"previous-round-end", ExecuteFrom::kPreviousRoundEnd}});
    options.utilisation_from =
        choice<UtilisationFrom>(line,
                                "utilisation-from",
                                {{"first-arrival", UtilisationFrom::kFirstArrival},
                                 {"time-zero", UtilisationFrom::kTimeZero}});
    options.truncate_steps = choice<bool>(line, "steps", {{"whole", true}, {"fractional", false}});
    options.min_steps_per_worker =
        static_cast<std::uint32_t>(line.integer("min-steps-per-worker", 0, 1000000));
    options.idle_jumps_to_arrival = choice<bool>(line, "idle", {{"waits", false}, {"jumps", true}});
  }
  options.round_seconds = line.real("round-seconds", 1e-3, 1e9);
  options.record_timeline = true;
  return options;
}

std::optional<JobId> explained_job(const CommandLine& line, std::size_t num_jobs) {
  if (!line.has("explain")) {
    return std::nullopt;
  }
  return to_id<JobId>(line.integer("explain", 0, static_cast<std::int64_t>(num_jobs) - 1));
}

ForkedSimulationOptions forked_options(const CommandLine& line, std::uint64_t seed) {
  ForkedSimulationOptions options;
  options.slot_seconds = line.real("round-seconds", 1e-3, 1e9);
  options.restart_seconds = line.real("restart-seconds", 0.0, 1e9);
  options.aggregation_seconds = line.real("aggregation-seconds", 0.0, 1e9);
  options.lost_copy_share = line.real("lost-copies", 0.0, 0.99);
  options.seed = seed;
  return options;
}

std::optional<double> prove_bound(const CommandLine& line,
                                  PluginHost& host,
                                  const Cluster& cluster,
                                  std::span<const JobSpec> jobs,
                                  const GangModel& gangs) {
  if (!choice<bool>(line, "bound", {{"lp", true}, {"none", false}})) {
    return std::nullopt;
  }
  const std::string prover = line.has("fork") ? "hadare" : "gavel-makespan";
  const Config config = host.options(ClusterScheduler::kInterface, prover);
  return host.cluster_scheduler(prover, config, 0)->lower_bound_seconds(cluster, jobs, gangs);
}

/// A line on standard error every two seconds of a long run.
class ScheduleProgress {
 public:
  ScheduleProgress(Logger& logger, std::string scheduler)
      : logger_(logger), scheduler_(std::move(scheduler)) {}

  void operator()(const RoundContext& context) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(2)) {
      return;
    }
    last_ = now;
    logger_.info("scheduling",
                 {{"scheduler", scheduler_},
                  {"round", context.round},
                  {"hours", context.now_seconds / 3600.0},
                  {"active_jobs", static_cast<std::uint64_t>(context.jobs.size())}});
  }

 private:
  Logger& logger_;
  std::string scheduler_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int play_trace(std::span<const std::string> words) {
  CommandLine line(
      "schedule",
      "TRACE --cluster C [--scheduler NAMES] [--throughputs CSV]",
      "Plays a job trace on a cluster under one or more schedulers and compares them.");
  declare_schedule(line);
  if (!line.parse(words)) {
    return 0;
  }
  if (line.positional().size() != 1 || !line.has("cluster")) {
    throw InputError("schedule: expected one TRACE and --cluster; see berth schedule --help");
  }
  refuse_without_effect(line);
  check_output_files(line, {"csv", "report", "write-throughputs"});
  const Cluster cluster = datasets::make_cluster(line.text("cluster"));
  const ScheduleInput input = read_schedule_input(line, cluster);
  const std::vector<JobSpec>& jobs = input.jobs;
  const ClusterSimulationOptions options = simulation_options(line);
  const std::optional<JobId> explained = explained_job(line, jobs.size());
  const auto seed = static_cast<std::uint64_t>(line.integer("seed", 0, 4294967295));

  StderrLogger logger(LogLevel::kInfo);
  const std::unique_ptr<PluginHost> host = make_plugin_host(line.values(), logger);
  std::vector<ScheduleResult> results;
  for (const PolicyRequest& request : requested_schedulers(line, *host)) {
    Config config = policy_config(*host, ClusterScheduler::kInterface, request);
    if (line.has("gavel") && config.has("gavel_compatible")) {
      config.set("gavel_compatible", "true");
    }
    const std::unique_ptr<ClusterScheduler> scheduler =
        host->cluster_scheduler(request.name, config, seed);
    ScheduleProgress progress(logger, request.text);
    JobStory story(explained);
    const RoundObserver observer = [&](const RoundContext& context, const RoundSchedule& round) {
      progress(context);
      story.note(context, round, *scheduler);
    };
    ScheduleResult result;
    result.scheduler = request.text;
    try {
      result.run =
          line.has("fork")
              ? simulate_forked(cluster, jobs, *scheduler, forked_options(line, seed), observer)
              : simulate_cluster(cluster, jobs, *scheduler, options, observer);
    } catch (const PluginError& error) {
      rethrow_with_context(error,
                           "scheduler '" + request.text + "'" +
                               (line.has("fork") ? " with --fork, which expects one that assigns "
                                                   "copies, such as hadare"
                                                 : ""));
    }
    result.metrics = measure(cluster, jobs, result.run);
    result.figures = scheduler->figures();
    result.story = story.lines();
    results.push_back(std::move(result));
  }
  const ScheduleSetting setting{line.positional().front(),
                                cluster,
                                jobs,
                                options,
                                seed,
                                prove_bound(line, *host, cluster, jobs, options.gangs),
                                line.has("fork"),
                                input.throughputs};
  print_schedule(setting, results, line.has("json"));
  if (line.has("csv")) {
    write_job_csv(setting, results.back(), line.text("csv"));
  }
  if (line.has("report")) {
    write_schedule_report(setting, results, line.text("report"));
  }
  return 0;
}

}  // namespace

int run_schedule(std::span<const std::string> words) {
  return std::ranges::find(words, "--execute") != words.end()
             ? run_schedule_execute(words)
             : run_on_first_rank(play_trace, words);
}

}  // namespace berth::launcher
