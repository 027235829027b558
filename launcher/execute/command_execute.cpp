// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include <boost/program_options/value_semantic.hpp>

#include "berth/error.hpp"

#include "checkpoints/state_recorder.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "datasets/atomic_file.hpp"
#include "execution.hpp"
#include "farm/agree.hpp"
#include "mix.hpp"
#include "mix_output.hpp"
#include "mix_page.hpp"
#include "mix_report.hpp"
#include "offer_text.hpp"
#include "output_files.hpp"
#include "plugin_arguments.hpp"
#include "policy_request.hpp"
#include "quality_study.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

/// A signal stopped the run after a checkpoint: start it again with --resume (EX_TEMPFAIL).
constexpr std::uint64_t kSeedsApart = 100;  // jobs take the run's seed plus their own

void declare_mix(CommandLine& line) {
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  line.add()("execute", "train for real (this page); without it, schedule replays a trace");
  line.add()("out", text("DIR"), "folder of checkpoints and rounds.jsonl; new, or see --resume");
  line.add()("resume", "continue the run in --out from its last round");
  line.add()("study",
             text("quality"),
             "quality: train the mix as merged copies and on one node a job, under several seeds");
  line.add()("seeds", po::value<std::string>()->default_value("3")->value_name("N"), "of a study");
  line.add()("jobs", text("NAMES"), "only these jobs of the mix, for example cnn,mlp");
  line.add()("trace", text("FILE"), "Chrome trace of the run: nodes over time");
  line.add()("report",
             text("FILE"),
             "HTML page of the run: nodes over time, loss and metric of every job, tables");
  line.add()("json", "one JSON line of results (study: a line a job) on standard output");
  line.add()("print-config", "print the effective mix as JSON and stop");
  for (const berth_option_spec& spec : mix_options()) {
    line.add()(flag_of(spec).c_str(),
               text("X"),
               (std::string(spec.help) + " Overrides the mix's.").c_str());
  }
  add_plugin_arguments(line.options());
}

Mix mix_of(const CommandLine& line) {
  if (line.positional().size() != 1) {
    throw InputError("berth schedule --execute: " + std::to_string(line.positional().size()) +
                     " mixes given; expected one TOML file");
  }
  Mix mix = read_mix(line.positional()[0]);
  for (const berth_option_spec& spec : mix_options()) {
    if (line.has(flag_of(spec))) {
      set_mix_option(mix, "--" + flag_of(spec), spec.name, line.text(flag_of(spec)));
    }
  }
  if (line.has("jobs")) {
    keep_jobs(mix, line.text("jobs"));
  }
  check_mix(mix);
  return mix;
}

void check_ranks(const Mix& mix, const MpiSession& session, Logger& logger) {
  const auto ranks = static_cast<std::size_t>(session.size());
  if (ranks > mix.nodes.size()) {
    throw InputError(mix.file.string() + ": " + std::to_string(mix.nodes.size()) + " nodes and " +
                     std::to_string(ranks) + " ranks; expected at most a rank a node (mpirun -np " +
                     std::to_string(mix.nodes.size()) + ")");
  }
  if (ranks < mix.nodes.size()) {
    logger.warning("nodes without a rank take no part",
                   {{"nodes", static_cast<std::uint64_t>(mix.nodes.size())},
                    {"ranks", static_cast<std::uint64_t>(ranks)}});
  }
}

/// What a rank holds from its start to its end.
struct Rank {
  const CommandLine& line;
  MpiSession& session;
  Logger& logger;
  Mix mix;
  std::unique_ptr<PluginHost> host;
};

std::unique_ptr<ClusterScheduler> make_scheduler(Rank& rank, const std::string& text) {
  const PolicyRequest request = parse_policy(text);
  const Config config = policy_config(*rank.host, ClusterScheduler::kInterface, request);
  return rank.host->cluster_scheduler(request.name, config, rank.mix.seed());
}

int run_once(Rank& rank, Watchdog& watchdog, const StopSignal& stop) {
  const CommandLine& line = rank.line;
  const bool is_first = rank.session.rank() == 0;
  const std::string scheduler_text = rank.mix.options.text("scheduler");
  const checkpoints::Header header = mix_header(rank.mix, scheduler_text);
  Execution execution(rank.session, rank.mix, rank.mix.seed(), *rank.host, watchdog, stop);
  std::optional<FolderLock> lock;
  std::unique_ptr<ClusterScheduler> scheduler;
  std::optional<JobTracker> tracker;
  std::optional<MixOutput> output;
  const int code = agree(rank.session, [&] {
    if (!is_first) {
      return;
    }
    const std::string& folder = line.text("out");
    // All that can be refused comes before the folder is made.
    scheduler = make_scheduler(rank, scheduler_text);
    tracker.emplace(rank.mix, execution.facts(), static_cast<std::size_t>(rank.session.size()));
    const auto start = find_mix_start(folder, line.has("resume"), header, lock, rank.logger);
    if (start) {
      tracker->load(checkpoints::StateReplay(start->state, "", folder));
    }
    output.emplace(folder,
                   header,
                   static_cast<std::size_t>(rank.mix.options.integer("keep_checkpoints")),
                   tracker->round(),
                   line.has("json"));
  });
  if (code != 0) {
    return code;
  }
  const int signal =
      execution.run(tracker ? &*tracker : nullptr, scheduler.get(), output ? &*output : nullptr);
  if (signal != 0) {
    if (is_first && tracker->round() == 0) {
      std::fprintf(stderr,
                   "berth: stopped by signal %d before the first round was done; there is no "
                   "checkpoint; remove the folder %s and start again\n",
                   signal,
                   line.text("out").c_str());
    } else if (is_first) {
      std::fprintf(stderr,
                   "berth: stopped by signal %d after round %llu; a checkpoint is written; "
                   "continue with --resume\n",
                   signal,
                   static_cast<unsigned long long>(tracker->round()));
    }
    return kStoppedBySignal;
  }
  if (tracker) {
    watchdog.rest();
    const MixResult result = summarise(*tracker, *scheduler, scheduler_text, rank.mix.seed());
    std::fputs(
        (line.has("json") ? to_json_line(result, rank.mix) + "\n" : to_table(result, rank.mix))
            .c_str(),
        stdout);
    if (line.has("trace")) {
      write_chrome_trace(*tracker, line.text("trace"));
    }
    if (line.has("report")) {
      datasets::write_atomically(line.text("report"), mix_page(*tracker, result));
    }
  }
  return 0;
}

/// A line on standard error every few seconds of a study.
class StudyProgress final : public ExecutionOutput {
 public:
  StudyProgress(Logger& logger, std::string run) : logger_(logger), run_(std::move(run)) {}

  void round_done(const JobTracker& tracker) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::seconds(5) && !tracker.is_done()) {
      return;
    }
    last_ = now;
    std::uint64_t steps = 0;
    std::uint64_t done = 0;
    for (const TrackedJob& job : tracker.jobs()) {
      steps += job.facts.steps;
      done += job.facts.steps - job.remaining;
    }
    logger_.info("study",
                 {{"run", run_},
                  {"round", tracker.round()},
                  {"clock_seconds", tracker.clock_seconds()},
                  {"steps", done},
                  {"of", steps}});
  }

 private:
  Logger& logger_;
  std::string run_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

int run_study(Rank& rank, Watchdog& watchdog, const StopSignal& stop) {
  const bool is_first = rank.session.rank() == 0;
  const auto seeds = static_cast<std::uint64_t>(rank.line.integer("seeds", 1, 1000));
  const std::string schedulers[] = {rank.mix.options.text("scheduler"), "hadar"};
  std::vector<QualityRow> rows;
  std::vector<EstimateError> estimates;
  for (std::uint64_t i = 0; i < seeds; ++i) {
    const std::uint64_t seed = rank.mix.seed() + kSeedsApart * i;
    std::optional<JobTracker> trackers[2];
    for (int which = 0; which < 2; ++which) {
      Execution execution(rank.session, rank.mix, seed, *rank.host, watchdog, stop);
      std::optional<JobTracker>& tracker = trackers[which];
      std::unique_ptr<ClusterScheduler> scheduler;
      const int code = agree(rank.session, [&] {
        if (is_first) {
          scheduler = make_scheduler(rank, schedulers[which]);
          tracker.emplace(
              rank.mix, execution.facts(), static_cast<std::size_t>(rank.session.size()));
        }
      });
      if (code != 0) {
        return code;
      }
      StudyProgress progress(rank.logger, schedulers[which] + " seed " + std::to_string(seed));
      const int signal = execution.run(
          tracker ? &*tracker : nullptr, scheduler.get(), is_first ? &progress : nullptr);
      if (signal != 0) {
        if (is_first) {
          std::fprintf(
              stderr, "berth: stopped by signal %d; a study keeps no checkpoint\n", signal);
        }
        return static_cast<int>(ExitCode::kRunFailed);
      }
    }
    if (is_first) {
      add_seed(rows, *trackers[0], *trackers[1]);
      estimates.push_back(estimate_error(*trackers[0]));
    }
  }
  if (is_first) {
    const bool json = rank.line.has("json");
    std::fputs((json ? quality_json(rows) : quality_table(rows)).c_str(), stdout);
    if (!json && !rank.mix.is_step_counted()) {
      std::fputs(estimates_text(estimates).c_str(), stdout);
    }
  }
  return 0;
}

int run_rank(const CommandLine& line, MpiSession& session, Logger& logger) {
  Rank rank{line, session, logger, {}, nullptr};
  const int code = agree(session, [&] {
    rank.mix = mix_of(line);
    check_ranks(rank.mix, session, logger);
    if (session.rank() == 0) {
      check_output_files(line, {"trace", "report"});
    }
    rank.host = std::make_unique<PluginHost>(plugin_search_path(line.values()), logger);
  });
  if (code != 0) {
    return code;
  }
  const double patience = rank.mix.options.real("watchdog_seconds");
  Watchdog watchdog(patience, [&session](const std::string& message) {
    std::fprintf(stderr, "berth: rank %d: %s\n", session.rank(), message.c_str());
    std::_Exit(static_cast<int>(ExitCode::kRunFailed));
  });
  // A rank that hangs names itself, with what it does; the others name one that cannot.
  session.set_watchdog(patience > 0.0 ? 1.25 * patience + 1.0 : 0.0,
                       [&watchdog] { watchdog.alive("wait", 0); });
  const StopSignal stop;
  return line.has("study") ? run_study(rank, watchdog, stop) : run_once(rank, watchdog, stop);
}

}  // namespace

int run_schedule_execute(std::span<const std::string> words) {
  CommandLine line("schedule",
                   "MIX.toml --execute --out DIR [options]",
                   "Trains a mix of jobs for real, alone or on many ranks under mpirun, a rank a "
                   "node: copies of a job train at once and are merged after every slot.");
  declare_mix(line);
  if (!line.parse(words)) {
    return 0;
  }
  if (line.has("print-config")) {
    std::printf("%s\n", mix_of(line).to_json().c_str());
    return 0;
  }
  if (line.has("study") && line.text("study") != "quality") {
    throw InputError("--study: '" + line.text("study") + "'; expected quality");
  }
  if (line.has("study") == line.has("out")) {
    throw InputError(line.has("out") ? "berth schedule --execute: --study with --out; expected "
                                       "one of them: a study writes no files"
                                     : "berth schedule --execute: no --out; expected --out DIR, a "
                                       "new folder, or --study quality");
  }
  for (const char* option : {"resume", "trace", "report"}) {
    if (line.has("study") && line.has(option)) {
      throw InputError("--" + std::string(option) +
                       ": has no effect with --study; expected one without the other");
    }
  }
  if (!line.has("study") && !line.values()["seeds"].defaulted()) {
    throw InputError("--seeds: has no effect without --study; expected --study quality beside it");
  }
  MpiSession session;
  StderrLogger logger(session.rank() == 0 ? LogLevel::kInfo : LogLevel::kError);
  return end_all_on_failure(session, [&] { return run_rank(line, session, logger); });
}

}  // namespace berth::launcher
