// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "run_output.hpp"

#include <cmath>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include "berth/units.hpp"

#include "checkpoints/state_recorder.hpp"
#include "datasets/placement_file.hpp"
#include "trial_output.hpp"

namespace berth::launcher {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity and no NaN.
Json json_number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double mean_best(const CampaignRecord& record) {
  double sum = 0.0;
  for (const ProblemRecord& problem : record.problems) {
    sum += problem.learned_makespan;
  }
  return sum / static_cast<double>(record.problems.size());
}

/// Over the problems that the update rolled out.
double mean_of(const UpdateSummary& summary) {
  double sum = 0.0;
  double count = 0.0;
  for (const double mean : summary.mean_makespan) {
    if (!std::isnan(mean)) {
      sum += mean;
      count += 1.0;
    }
  }
  return sum / count;
}

/// Mean over the problems whose makespan is known, in seconds.
std::string time_text(const Problems& problems, std::span<const double> makespans) {
  double sum = 0.0;
  double count = 0.0;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    if (std::isfinite(makespans[p])) {
      sum += makespans[p] * problems[p]->costs.seconds_per_unit;
      count += 1.0;
    }
  }
  return count > 0.0 ? format(Seconds{sum / count}) : "none";
}

}  // namespace

double mean_gap(const Problems& problems, const CampaignRecord& record) {
  double sum = 0.0;
  for (std::size_t p = 0; p < problems.size(); ++p) {
    const double bound = problems[p]->lower_bound;
    sum += bound > 0.0 ? record.problems[p].learned_makespan / bound - 1.0 : 0.0;
  }
  return sum / static_cast<double>(problems.size());
}

RunOutput::RunOutput(std::filesystem::path folder,
                     checkpoints::Header header,
                     const TrainablePolicy& policy,
                     const Problems& problems,
                     const CampaignRecord& record,
                     std::uint64_t updates,
                     std::size_t keep_checkpoints,
                     double progress_seconds)
    : folder_(std::move(folder)),
      header_(std::move(header)),
      checkpoints_(folder_ / "checkpoints", keep_checkpoints),
      policy_(policy),
      problems_(problems),
      updates_(updates),
      rollouts_before_(record.rollouts),
      metrics_(folder_ / "metrics.jsonl", record.update),
      progress_(progress_seconds, record.update) {}

void RunOutput::updated(const CampaignRecord& record, const UpdateSummary& summary) {
  Json line;
  line["update"] = record.update;
  line["stage"] = name_of(summary.stage);
  line["rollouts"] = summary.rollouts;
  line["failed"] = summary.failed;
  line["rollouts_total"] = record.rollouts;
  line["seconds"] = summary.seconds;
  line["rollouts_per_second"] = static_cast<double>(summary.rollouts) / summary.seconds;
  line["best"] = json_number(mean_best(record));
  line["mean"] = json_number(mean_of(summary));
  line["gap"] = json_number(mean_gap(problems_, record));
  if (problems_.size() > 1) {
    Json rows = Json::array();
    for (std::size_t p = 0; p < problems_.size(); ++p) {
      rows.push_back({{"problem", p},
                      {"best", json_number(record.problems[p].learned_makespan)},
                      {"mean", json_number(summary.mean_makespan[p])}});
    }
    line["problems"] = std::move(rows);
  }
  if (!summary.trials.empty()) {
    double regret = 0.0;
    for (const TrialSummary& trials : summary.trials) {
      regret += trials.regret;
    }
    line["regret"] = regret;
    line["trials"] = trials_json(record, summary);
  }
  metrics_.append(line.dump());
  if (progress_.is_due(record.update, updates_)) {
    show_progress(record, summary);
  }
}

void RunOutput::show_progress(const CampaignRecord& record, const UpdateSummary& summary) {
  ProgressState state;
  state.update = record.update;
  state.updates = updates_;
  state.stage = name_of(summary.stage);
  state.rollouts = record.rollouts - rollouts_before_;
  std::vector<double> best;
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    const MeasuredRecord& measured = record.problems[p].measured;
    const bool measures = !summary.trials.empty() && measured.seconds > 0.0;
    best.push_back(measures ? measured.seconds / problems_[p]->costs.seconds_per_unit
                            : record.problems[p].learned_makespan);
  }
  state.best = time_text(problems_, best);
  state.mean = time_text(problems_, summary.mean_makespan);
  state.gap = mean_gap(problems_, record);
  progress_.show(state);
}

void RunOutput::checkpoint(const CampaignRecord& record, checkpoints::Standing standing) {
  checkpoints::Checkpoint checkpoint;
  checkpoint.header = header_;
  checkpoint.header.update = record.update;
  checkpoints::StateRecorder policy_state(checkpoint.state, "policy/");
  policy_.save(policy_state);
  checkpoints::StateRecorder farm_state(checkpoint.state, "farm/");
  record.save(farm_state);
  write_placements(record);
  checkpoints_.store(checkpoint, standing);
}

void RunOutput::write_placements(const CampaignRecord& record) const {
  for (std::size_t p = 0; p < problems_.size(); ++p) {
    const ProblemRecord& problem = record.problems[p];
    if (problem.best.device.empty()) {
      continue;
    }
    const bool measured = problem.measured.has_incumbent();
    const std::string& source = measured ? problem.measured.source : problem.best_source;
    datasets::PlacementNote note;
    note.policy = source.starts_with("rollout") ? header_.policy + ", " + source : source;
    note.makespan = measured ? problem.measured.simulated : problem.best_makespan;
    note.seed = header_.seed;
    const auto write = [&](const std::string& name, const Placement& placement) {
      if (p == 0) {
        datasets::write_placement(placement, *problems_[p], note, folder_ / (name + ".json"));
      }
      if (problems_.size() > 1) {
        const std::string file = name + "_" + std::to_string(p) + ".json";
        datasets::write_placement(placement, *problems_[p], note, folder_ / file);
      }
    };
    write("best_placement", measured ? problem.measured.incumbent : problem.best);
    if (measured) {
      note.policy = problem.best_source;
      note.makespan = problem.best_makespan;
      write("simulated_placement", problem.best);
    }
  }
}

}  // namespace berth::launcher
