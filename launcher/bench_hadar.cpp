// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// `berth bench hadar`: the comparisons of the Hadar and HadarE papers, run again.

#include "bench_hadar.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <boost/program_options/value_semantic.hpp>

#include "berth/cluster_simulator.hpp"
#include "berth/error.hpp"
#include "berth/forked_simulator.hpp"
#include "berth/plugin_host.hpp"

#include "cluster_file.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "plugin_arguments.hpp"
#include "policy_request.hpp"
#include "progress.hpp"
#include "schedule_requests.hpp"
#include "throughput_estimate.hpp"
#include "trace_generator.hpp"
#include "trace_words.hpp"
#include "writable_file.hpp"

namespace berth::launcher {
namespace {

namespace po = boost::program_options;

constexpr const char* kCluster = "v100:20/4,p100:20/4,k80:20/4";
constexpr const char* kNodes = "v100:1,p100:2,k80:2";
constexpr const char* kSchedulers =
    "hadar,hadar(preset=ttd),hadar(preset=paper_jct),hadar(preset=paper_ttd),gavel-max-min,"
    "gavel-makespan,gavel-ftf,gavel-max-sum,sia,tiresias,srtf,las,fifo";
constexpr const char* kQuickSchedulers =
    "hadar,hadar(preset=ttd),gavel-max-min,gavel-makespan,fifo";
constexpr double kPoissonGapSeconds = 3000.0;
constexpr std::uint32_t kManyJobs = 2000;

struct Settings {
  std::uint32_t jobs = 480;
  std::uint32_t seeds = 3;
  std::string schedulers = kSchedulers;
  std::vector<std::uint32_t> mixes = {1, 3, 4, 5, 8, 10, 12};
  std::vector<double> slots = {90, 180, 360, 720};
  std::uint32_t many_jobs = kManyJobs;
};

void declare_hadar(CommandLine& line) {
  const auto text = [](const char* shown) { return po::value<std::string>()->value_name(shown); };
  auto add = line.add();
  add("throughputs",
      text("CSV")->default_value("estimated"),
      "steps/s of Gavel's job types on v100, p100 and k80, or 'estimated' from data sheets");
  add("throughput-table",
      text("NAME")->default_value("simulation"),
      "which table of a CSV that holds several");
  add("jobs", text("N")->default_value("480"), "of a generated trace");
  add("seeds", text("N")->default_value("3"), "traces of each kind, seeds 0, 1, ...");
  add("schedulers", text("NAMES")->default_value(kSchedulers), "compared on generated traces");
  add("quick", "a small part of everything: 60 jobs, one seed, five schedulers, two mixes");
  add("html", text("FILE"), "the tables as a page");
  add("json", "one JSON document a line on standard output");
  add_plugin_arguments(line.options());
}

Settings read_settings(const CommandLine& line) {
  Settings settings;
  settings.jobs = static_cast<std::uint32_t>(line.integer("jobs", 1, 100000));
  settings.seeds = static_cast<std::uint32_t>(line.integer("seeds", 1, 1000));
  settings.schedulers = line.text("schedulers");
  if (line.has("quick")) {
    for (const char* option : {"jobs", "seeds", "schedulers"}) {
      if (!line.values()[option].defaulted()) {
        throw InputError("--" + std::string(option) +
                         ": --quick has its own; expected one without the other");
      }
    }
    settings = {60, 1, kQuickSchedulers, {1, 5}, {360}, 0};
  }
  return settings;
}

/// What all comparisons share.
class HadarRuns {
 public:
  HadarRuns(const CommandLine& line, const Settings& settings)
      : settings_(settings), host_(make_plugin_host(line.values(), logger_)) {
    const std::vector<std::string> gpus = {"v100", "p100", "k80"};
    const bool estimated = line.text("throughputs") == "estimated";
    if (estimated && !line.values()["throughput-table"].defaulted()) {
      throw InputError(
          "--throughput-table: has no effect on estimated rates; expected --throughputs CSV beside "
          "it");
    }
    table_ = estimated ? datasets::estimate_throughputs(gpus)
                       : datasets::ThroughputTable(line.text("throughputs"),
                                                   line.text("throughput-table"));
    result_.throughputs =
        estimated ? "estimated from data sheets, not measured" : line.text("throughputs");
    result_.cluster = kCluster;
    result_.nodes = kNodes;
  }

  HadarBench run() {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<PolicyRequest> requests =
        distinct_policies("schedulers", settings_.schedulers, kSchedulerWords);
    for (const PolicyRequest& request : requests) {
      static_cast<void>(scheduler(request, 0));  // what is wrong is said before anything runs
      if (assigns_copies(*host_, request.name)) {
        throw InputError("--schedulers: '" + request.text +
                         "' assigns copies of forked jobs, and these traces are not forked; "
                         "expected others, hadare runs on the mixes anyway");
      }
    }
    Progress progress("bench hadar",
                      2 * settings_.seeds * requests.size() +
                          settings_.mixes.size() * settings_.slots.size() +
                          (settings_.many_jobs > 0 ? 1 : 0));
    result_.traces.push_back(compare("static", 0.0, requests, progress));
    result_.traces.push_back(compare("poisson", kPoissonGapSeconds, requests, progress));
    for (const std::uint32_t jobs : settings_.mixes) {
      for (const double slot : settings_.slots) {
        progress.next("mix M-" + std::to_string(jobs));
        result_.mixes.push_back(mix(jobs, slot));
      }
    }
    if (settings_.many_jobs > 0) {
      progress.next("many jobs");
      measure_many_jobs();
    }
    add_gains();
    result_.run_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::unique_ptr<ClusterScheduler> scheduler(const PolicyRequest& request,
                                                            std::uint64_t seed) {
    return host_->cluster_scheduler(
        request.name, policy_config(*host_, ClusterScheduler::kInterface, request), seed);
  }

  [[nodiscard]] std::vector<JobSpec> generated(const Cluster& cluster,
                                               std::uint32_t jobs,
                                               double gap,
                                               std::uint32_t seed) const {
    datasets::TraceGeneratorOptions options;
    options.num_jobs = jobs;
    options.mean_gap_seconds = gap;
    options.seed = seed;
    return datasets::price_jobs(
        datasets::generate_trace(options, *table_), cluster, table_, cluster.type_names()[0]);
  }

  BenchTrace compare(const std::string& name,
                     double gap,
                     const std::vector<PolicyRequest>& requests,
                     Progress& progress) {
    const Cluster cluster = datasets::make_cluster(kCluster);
    const ClusterSimulationOptions options;
    BenchTrace trace;
    trace.name = name;
    trace.jobs = settings_.jobs;
    trace.word = "generated:" + std::to_string(settings_.jobs) +
                 (gap > 0.0 ? ":" + std::to_string(static_cast<int>(gap)) : "");
    for (const PolicyRequest& request : requests) {
      trace.rows.push_back({request.text, {}, {}, {}});
    }
    for (std::uint32_t seed = 0; seed < settings_.seeds; ++seed) {
      const std::vector<JobSpec> jobs = generated(cluster, settings_.jobs, gap, seed);
      const double bound = prove("gavel-makespan", cluster, jobs, options.gangs);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        progress.next(name + ", seed " + std::to_string(seed) + ", " + requests[i].text);
        const std::unique_ptr<ClusterScheduler> made = scheduler(requests[i], seed);
        const ClusterRun run = simulate(requests[i], cluster, jobs, *made, options);
        BenchRow& row = trace.rows[i];
        row.seeds.push_back(measure(cluster, jobs, run));
        row.bound_seconds.push_back(bound);
        row.seconds_per_round.push_back(
            run.scheduler_seconds / static_cast<double>(std::max<std::uint64_t>(1, run.decisions)));
      }
    }
    return trace;
  }

  /// @throws PluginError naming the scheduler.
  [[nodiscard]] static ClusterRun simulate(const PolicyRequest& request,
                                           const Cluster& cluster,
                                           const std::vector<JobSpec>& jobs,
                                           ClusterScheduler& made,
                                           const ClusterSimulationOptions& options) {
    try {
      return simulate_cluster(cluster, jobs, made, options);
    } catch (const PluginError& error) {
      rethrow_with_context(error, "scheduler '" + request.text + "'");
    }
  }

  [[nodiscard]] double prove(const std::string& prover,
                             const Cluster& cluster,
                             const std::vector<JobSpec>& jobs,
                             const GangModel& gangs) {
    return *scheduler(parse_policy(prover), 0)->lower_bound_seconds(cluster, jobs, gangs);
  }

  BenchMix mix(std::uint32_t jobs, double slot) {
    const Cluster nodes = datasets::make_cluster(kNodes);
    const std::vector<JobSpec> specs = datasets::price_jobs(
        datasets::make_mix(jobs, *table_), nodes, table_, nodes.type_names()[0]);
    ForkedSimulationOptions forked;
    forked.slot_seconds = slot;
    ClusterSimulationOptions rounds;
    rounds.round_seconds = slot;
    BenchMix result;
    result.jobs = jobs;
    result.slot_seconds = slot;
    result.bound_seconds = prove("hadare", nodes, specs, rounds.gangs);
    const auto fork = [&](const char* request) {
      const std::unique_ptr<ClusterScheduler> made = scheduler(parse_policy(request), 0);
      return measure(nodes, specs, simulate_forked(nodes, specs, *made, forked));
    };
    result.fork = fork("hadare");
    result.whole = fork("hadare(copies=1)");
    const auto play = [&](const char* request) {
      const std::unique_ptr<ClusterScheduler> made = scheduler(parse_policy(request), 0);
      return measure(nodes, specs, simulate_cluster(nodes, specs, *made, rounds));
    };
    result.hadar = play("hadar");
    result.gavel = play("gavel-max-min");
    return result;
  }

  void measure_many_jobs() {
    const Cluster cluster = datasets::make_cluster(kCluster);
    const std::vector<JobSpec> jobs = generated(cluster, settings_.many_jobs, 0.0, 0);
    const std::unique_ptr<ClusterScheduler> made = scheduler(parse_policy("hadar"), 0);
    const ClusterRun run = simulate_cluster(cluster, jobs, *made, {});
    result_.many_jobs = jobs.size();
    result_.many_jobs_scheduler_seconds = run.scheduler_seconds;
  }

  using Figure = double (*)(const ClusterMetrics&);

  /// figure(baseline) / figure(ours) per seed; nothing where one of the two was left out.
  void gain(const BenchTrace& trace,
            const std::string& quantity,
            const char* ours,
            const char* baseline,
            Figure figure,
            bool higher_is_better,
            const char* published) {
    const auto row_of = [&](const char* name) {
      return std::find_if(trace.rows.begin(), trace.rows.end(), [name](const BenchRow& row) {
        return row.scheduler == name;
      });
    };
    const auto a = row_of(ours);
    const auto b = row_of(baseline);
    if (a == trace.rows.end() || b == trace.rows.end()) {
      return;
    }
    BenchGain gain{
        quantity + ", " + trace.name + ": " + ours + " over " + baseline, "x", {}, published};
    for (std::size_t s = 0; s < a->seeds.size(); ++s) {
      const double ratio = figure(b->seeds[s]) / figure(a->seeds[s]);
      gain.measured.push_back(higher_is_better ? 1.0 / ratio : ratio);
    }
    result_.gains.push_back(std::move(gain));
  }

  void add_gains() {
    const Figure ttd = [](const ClusterMetrics& m) { return m.ttd; };
    const Figure jct = [](const ClusterMetrics& m) { return m.mean_jct; };
    const Figure gru = [](const ClusterMetrics& m) { return m.gru; };
    const Figure queue = [](const ClusterMetrics& m) { return std::max(1.0, m.mean_queueing); };
    const Figure ftf = [](const ClusterMetrics& m) { return m.mean_ftf; };
    constexpr const char* kTtd = "hadar(preset=ttd)";
    for (const BenchTrace& trace : result_.traces) {
      gain(trace, "TTD", kTtd, "gavel-max-min", ttd, false, "1.20x (text: 1.17x)");
      gain(trace, "TTD", kTtd, "gavel-makespan", ttd, false, "-");
      gain(trace, "utilisation", kTtd, "gavel-max-min", gru, true, "1.20x");
      gain(trace, "mean JCT", "hadar", "gavel-max-min", jct, false, "2.5x");
      gain(trace, "mean JCT", "hadar", "fifo", jct, false, "3x");
      gain(trace, "mean JCT", "hadar", "tiresias", jct, false, "-");
      gain(trace, "queueing", "hadar", "gavel-max-min", queue, false, "1.15x (13 % less)");
      gain(trace, "mean FTF", "hadar", "gavel-max-min", ftf, false, "1.015x (1.5 % better)");
    }
    struct MixGain {
      const char* quantity;
      double (*value)(const BenchMix&);
      const char* published;
    };
    const MixGain mix_gains[] = {
        {"CRU, mixes: hadare over gavel-max-min",
         [](const BenchMix& m) { return m.fork.gru / m.gavel.gru; },
         "1.45x (AWS), up to 1.62x (testbed)"},
        {"TTD, mixes: hadare over gavel-max-min",
         [](const BenchMix& m) { return m.gavel.ttd / m.fork.ttd; },
         "2x (AWS: -50 %), 5x (testbed: -80 %)"},
        {"mean JCT, mixes: hadare over gavel-max-min",
         [](const BenchMix& m) { return m.gavel.mean_jct / m.fork.mean_jct; },
         "2.23x (AWS), 2.76x (testbed)"},
        {"CRU, mixes: hadare over hadar",
         [](const BenchMix& m) { return m.fork.gru / m.hadar.gru; },
         "-"},
        {"TTD, mixes: hadare over hadar",
         [](const BenchMix& m) { return m.hadar.ttd / m.fork.ttd; },
         "-"},
        {"mean JCT, mixes: hadare over hadar",
         [](const BenchMix& m) { return m.hadar.mean_jct / m.fork.mean_jct; },
         "-"},
        {"TTD, mixes: hadare over hadare(copies=1)",
         [](const BenchMix& m) { return m.whole.ttd / m.fork.ttd; },
         "-"}};
    for (const MixGain& entry : mix_gains) {
      BenchGain gain{entry.quantity, "x", {}, entry.published};
      for (const BenchMix& m : result_.mixes) {
        gain.measured.push_back(entry.value(m));
      }
      result_.gains.push_back(std::move(gain));
    }
  }

  Settings settings_;
  StderrLogger logger_{LogLevel::kWarning};
  std::unique_ptr<PluginHost> host_;
  std::optional<datasets::ThroughputTable> table_;
  HadarBench result_;
};

}  // namespace

int run_bench_hadar(std::span<const std::string> words) {
  CommandLine line("bench hadar",
                   "[--throughputs CSV] [--quick]",
                   "Runs the comparisons of the Hadar and HadarE papers again, with the published "
                   "gains beside those measured.");
  declare_hadar(line);
  if (!line.parse(words)) {
    return 0;
  }
  if (!line.positional().empty()) {
    throw InputError("bench hadar: '" + line.positional().front() +
                     "'; expected options only, see berth bench hadar --help");
  }
  if (line.has("html")) {
    datasets::check_writable(line.text("html"));
  }
  const HadarBench bench = HadarRuns(line, read_settings(line)).run();
  if (line.has("json")) {
    print_hadar_bench_json(bench);
  } else {
    print_hadar_bench(bench);
  }
  if (line.has("html")) {
    write_hadar_bench_page(bench, line.text("html"));
  }
  return 0;
}

}  // namespace berth::launcher
