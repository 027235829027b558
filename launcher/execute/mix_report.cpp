// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "mix_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "berth/error.hpp"

#include "datasets/atomic_file.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

using Json = nlohmann::ordered_json;

const ScoreRecord* last_score(const JobTracker& tracker, std::uint32_t job) {
  const ScoreRecord* last = nullptr;
  for (const ScoreRecord& score : tracker.scores()) {
    last = score.job == job ? &score : last;
  }
  return last;
}

std::size_t most_copies(const JobTracker& tracker, std::uint32_t job) {
  std::size_t most = 0;
  std::size_t now = 0;
  std::uint64_t round = 0;
  for (const CopyRecord& copy : tracker.copies()) {
    if (copy.job == job) {
      now = copy.round == round ? now + 1 : 1;
      round = copy.round;
      most = std::max(most, now);
    }
  }
  return most;
}

/// Jobs with the rates of the whole run, steps / seconds of all copies; believed where none ran.
/// The run itself is then a solution of the bound's program: its TTD is never below.
std::vector<JobSpec> measured_specs(const JobTracker& tracker) {
  std::vector<JobSpec> specs = tracker.specs();
  for (std::size_t id = 0; id < specs.size(); ++id) {
    std::vector<double> steps(tracker.present(), 0.0);
    std::vector<double> seconds(tracker.present(), 0.0);
    for (const CopyRecord& copy : tracker.copies()) {
      if (copy.job == id && copy.node < tracker.present()) {
        steps[copy.node] += static_cast<double>(copy.steps);
        seconds[copy.node] += copy.seconds;
      }
    }
    for (std::size_t node = 0; node < tracker.present(); ++node) {
      if (steps[node] > 0.0 && seconds[node] > 0.0) {
        specs[id].rates[node] = specs[id].spread_rates[node] = steps[node] / seconds[node];
      }
    }
  }
  return specs;
}

std::string estimate_text(const EstimateError& error) {
  return "Rates before they were measured: wrong by a factor of " +
         significant(error.median_factor, 3) + " (median of " + std::to_string(error.pairs) +
         " pairs of job and node), " + significant(error.worst_factor, 3) + " at worst; " +
         std::to_string(error.ordered_right) + " of " + std::to_string(error.node_pairs) +
         " pairs of nodes in the right order.\n";
}

/// The records of the round done last.
std::vector<const CopyRecord*> last_round(const JobTracker& tracker) {
  std::vector<const CopyRecord*> rows;
  for (const CopyRecord& copy : tracker.copies()) {
    if (copy.round + 1 == tracker.round()) {
      rows.push_back(&copy);
    }
  }
  return rows;
}

}  // namespace

EstimateError estimate_error(const JobTracker& tracker) {
  EstimateError error;
  std::vector<double> factors;
  for (const TrackedJob& job : tracker.jobs()) {
    for (std::size_t a = 0; a < tracker.present(); ++a) {
      if (job.measured[a] == 0) {
        continue;
      }
      factors.push_back(std::exp(std::fabs(std::log(job.estimates[a] / job.rates[a]))));
      for (std::size_t b = 0; b < a; ++b) {
        if (job.measured[b] > 0) {
          ++error.node_pairs;
          error.ordered_right +=
              (job.estimates[a] - job.estimates[b]) * (job.rates[a] - job.rates[b]) > 0.0 ? 1 : 0;
        }
      }
    }
  }
  error.pairs = factors.size();
  if (!factors.empty()) {
    std::ranges::sort(factors);
    error.median_factor = factors[factors.size() / 2];
    error.worst_factor = factors.back();
  }
  return error;
}

MixResult summarise(const JobTracker& tracker,
                    const ClusterScheduler& scheduler,
                    const std::string& scheduler_text,
                    std::uint64_t seed) {
  MixResult result;
  result.scheduler = scheduler_text;
  result.seed = seed;
  result.nodes = tracker.present();
  result.rounds = tracker.round();
  for (std::uint32_t id = 0; id < tracker.jobs().size(); ++id) {
    const TrackedJob& job = tracker.jobs()[id];
    const ScoreRecord* score = last_score(tracker, id);
    JobResult row;
    row.name = job.name;
    row.model = tracker.mix().jobs[id].model;
    row.metric = job.facts.start.metric;
    row.start = job.facts.start.value;
    row.value = score != nullptr ? score->test : row.start;
    row.steps = job.facts.steps - job.remaining;
    row.rounds = job.rounds;
    row.most_copies = most_copies(tracker, id);
    row.restarts = job.restarts;
    row.jct_seconds = job.finish_seconds;
    result.ttd_seconds = std::max(result.ttd_seconds, job.finish_seconds);
    result.mean_jct_seconds += job.finish_seconds / static_cast<double>(tracker.jobs().size());
    result.jobs.push_back(std::move(row));
  }
  double busy = 0.0;
  for (std::size_t node = 0; node < tracker.present(); ++node) {
    busy += tracker.busy_seconds()[node];
  }
  result.cru = busy / (static_cast<double>(tracker.present()) * result.ttd_seconds);
  const std::vector<JobSpec> specs = measured_specs(tracker);
  result.bound_seconds =
      scheduler.lower_bound_seconds(tracker.cluster(), specs, {MixRule::kOff, false, 0.0});
  result.estimate = estimate_error(tracker);
  return result;
}

std::string to_table(const MixResult& result, const Mix& mix) {
  Table table({"job", "model", "metric", "before", "after", "steps", "rounds", "copies", "JCT s"});
  for (const JobResult& job : result.jobs) {
    table.add_row({job.name,
                   job.model,
                   job.metric,
                   significant(job.start),
                   significant(job.value),
                   std::to_string(job.steps),
                   std::to_string(job.rounds),
                   std::to_string(job.most_copies),
                   significant(job.jct_seconds)});
  }
  std::string text = table.text();
  text += "TTD " + significant(result.ttd_seconds) + " s, mean JCT " +
          significant(result.mean_jct_seconds) + " s, CRU " + significant(result.cru, 3);
  if (result.bound_seconds) {
    text += ", TTD / lower bound " + significant(result.ttd_seconds / *result.bound_seconds, 4);
  }
  text += "; " + result.scheduler + ", " + std::to_string(result.nodes) + " nodes, " +
          std::to_string(result.rounds) + " rounds, seed " + std::to_string(result.seed) + "\n";
  text +=
      "before, after: on test samples, of the merged model. JCT: finish - start of the run. TTD: "
      "last finish.\nCRU: busy node-seconds / (nodes x TTD). copies: most at once. "
      "Scoring and checkpoints are off the clock.\n";
  if (mix.is_step_counted()) {
    text += "Slots are counted in steps: times are those of the rates believed, not measured.\n";
  } else if (result.estimate.pairs > 0) {
    text += estimate_text(result.estimate);
  }
  for (const MixNode& node : mix.nodes) {
    if (node.duty < 1.0) {
      return text +
             "Nodes with a duty below 1 are emulated: they pause for the rest of the time.\n";
    }
  }
  return text;
}

std::string to_json_line(const MixResult& result, const Mix& mix) {
  Json json = {{"mix", mix.file.filename().string()},
               {"scheduler", result.scheduler},
               {"seed", result.seed},
               {"nodes", result.nodes},
               {"rounds", result.rounds},
               {"clock", mix.is_step_counted() ? "believed" : "measured"},
               {"ttd_seconds", result.ttd_seconds},
               {"jct_mean_seconds", result.mean_jct_seconds},
               {"cru", result.cru}};
  if (result.bound_seconds) {
    json["ttd_bound_seconds"] = *result.bound_seconds;
  }
  if (!mix.is_step_counted()) {
    json["rate_estimate"] = {{"pairs", result.estimate.pairs},
                             {"median_factor", result.estimate.median_factor},
                             {"worst_factor", result.estimate.worst_factor},
                             {"node_pairs", result.estimate.node_pairs},
                             {"ordered_right", result.estimate.ordered_right}};
  }
  for (const JobResult& job : result.jobs) {
    json["jobs"].push_back({{"name", job.name},
                            {"model", job.model},
                            {"metric", job.metric},
                            {"before", job.start},
                            {"after", job.value},
                            {"steps", job.steps},
                            {"rounds", job.rounds},
                            {"most_copies", job.most_copies},
                            {"restarts", job.restarts},
                            {"jct_seconds", job.jct_seconds}});
  }
  return json.dump();
}

std::string round_rows(const JobTracker& tracker, bool with_header) {
  std::string text;
  char line[256];
  if (with_header) {
    std::snprintf(line,
                  sizeof line,
                  "%5s %8s  %-14s %-10s %13s %9s %9s %6s %8s\n",
                  "round",
                  "clock s",
                  "job",
                  "node",
                  "steps/planned",
                  "believed",
                  "measured",
                  "omega",
                  "loss");
    text += line;
  }
  for (const CopyRecord* copy : last_round(tracker)) {
    const std::string steps = std::to_string(copy->steps) + "/" + std::to_string(copy->planned);
    std::snprintf(line,
                  sizeof line,
                  "%5llu %8.2f  %-14.14s %-10.10s %13s %9s %9s %6.3f %8s\n",
                  static_cast<unsigned long long>(copy->round),
                  tracker.clock_seconds(),
                  tracker.jobs()[copy->job].name.c_str(),
                  tracker.mix().nodes[copy->node].name.c_str(),
                  steps.c_str(),
                  significant(copy->believed).c_str(),
                  copy->measured > 0.0 ? significant(copy->measured).c_str() : "-",
                  copy->omega,
                  copy->failed ? "failed" : significant(copy->loss).c_str());
    text += line;
  }
  return text;
}

std::string round_json(const JobTracker& tracker) {
  Json json = {{"round", tracker.round() - 1}, {"clock_seconds", tracker.clock_seconds()}};
  for (const CopyRecord* copy : last_round(tracker)) {
    json["copies"].push_back({{"job", tracker.jobs()[copy->job].name},
                              {"node", tracker.mix().nodes[copy->node].name},
                              {"planned", copy->planned},
                              {"steps", copy->steps},
                              {"seconds", copy->seconds},
                              {"rate_believed", copy->believed},
                              {"rate_measured", copy->measured},
                              {"omega", copy->omega},
                              {"loss", copy->loss},
                              {"failed", copy->failed}});
  }
  for (const ScoreRecord& score : tracker.scores()) {
    if (score.round + 1 == tracker.round()) {
      json["jobs"].push_back({{"job", tracker.jobs()[score.job].name},
                              {"steps", score.steps},
                              {"metric", tracker.jobs()[score.job].facts.start.metric},
                              {"validation_loss", score.validation_loss},
                              {"validation", score.validation},
                              {"test", score.test}});
    }
  }
  return json.dump();
}

void write_chrome_trace(const JobTracker& tracker, const std::string& file) {
  Json events = Json::array();
  for (std::size_t node = 0; node < tracker.present(); ++node) {
    events.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", 0},
                      {"tid", node},
                      {"args", {{"name", tracker.mix().nodes[node].name}}}});
  }
  for (const CopyRecord& copy : tracker.copies()) {
    events.push_back({{"name", tracker.jobs()[copy.job].name},
                      {"cat", copy.failed ? "failed" : "copy"},
                      {"ph", "X"},
                      {"pid", 0},
                      {"tid", copy.node},
                      {"ts", 1e6 * copy.start_seconds},
                      {"dur", 1e6 * copy.seconds},
                      {"args",
                       {{"round", copy.round},
                        {"steps", copy.steps},
                        {"omega", copy.omega},
                        {"loss", copy.loss}}}});
  }
  datasets::write_atomically(file, Json{{"traceEvents", events}}.dump() + "\n");
}

}  // namespace berth::launcher
