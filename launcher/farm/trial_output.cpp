// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "trial_output.hpp"

#include <nlohmann/json.hpp>

#include "berth/units.hpp"

#include "table.hpp"

namespace berth::launcher {
namespace {

using Json = nlohmann::ordered_json;

const char* text_of(RolloutStatus status) {
  constexpr const char* kNames[] = {"ok", "time-out", "out of memory", "failed"};
  return kNames[static_cast<std::size_t>(status)];
}

Json runs_json(const std::vector<MeasureReport>& measurements, std::uint32_t problem) {
  Json runs = Json::array();
  for (std::size_t rank = 0; rank < measurements.size(); ++rank) {
    for (const MeasuredProblem& found : measurements[rank].problems) {
      if (found.problem != problem) {
        continue;
      }
      Json incumbent;
      incumbent["rank"] = rank;
      incumbent["incumbent"] = true;
      incumbent["seconds"] = found.incumbent_seconds;
      runs.push_back(std::move(incumbent));
      for (const MeasuredRollout& rollout : found.rollouts) {
        Json run;
        run["rank"] = rank;
        run["rollout"] = rollout.id;
        run["status"] = text_of(rollout.status);
        run["seconds"] = rollout.seconds;
        runs.push_back(std::move(run));
      }
      if (found.challenger != MeasuredProblem::kNoChallenger) {
        Json again;
        again["rank"] = rank;
        again["confirmed"] = found.challenger;
        again["seconds"] = found.challenger_again;
        again["incumbent_seconds"] = found.incumbent_again;
        runs.push_back(std::move(again));
      }
    }
  }
  return runs;
}

}  // namespace

Json trials_json(const CampaignRecord& record, const UpdateSummary& summary) {
  Json rows = Json::array();
  for (std::uint32_t p = 0; p < summary.trials.size(); ++p) {
    const TrialSummary& trials = summary.trials[p];
    Json row;
    row["problem"] = p;
    row["measured"] = trials.measured;
    row["timed_out"] = trials.timed_out;
    row["out_of_memory"] = trials.out_of_memory;
    row["screened"] = trials.screened;
    row["incumbent"] = record.problems[p].measured.source;
    row["incumbent_seconds"] = trials.incumbent_seconds;
    row["best_ratio"] = trials.best_ratio;
    row["regret"] = trials.regret;
    row["worst_regret"] = trials.worst_regret;
    if (trials.adopted != MeasuredProblem::kNoChallenger) {
      row["adopted"] = trials.adopted;
      row["adopted_ratio"] = trials.adopted_ratio;
    }
    row["runs"] = runs_json(summary.measurements, p);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string trials_text(const std::string& problem, const MeasuredRecord& measured) {
  const std::string now = measured.seconds > 0.0 ? format(Seconds{measured.seconds}) : "not run";
  const std::string first =
      measured.first_seconds > 0.0 ? format(Seconds{measured.first_seconds}) : "not run";
  return "measured on " + problem + ": " + first + " at first, now " + now + " (" +
         measured.source + "); " + std::to_string(measured.measured) + " rollouts run, " +
         std::to_string(measured.timed_out) + " given up, " +
         std::to_string(measured.out_of_memory) + " out of memory, " +
         std::to_string(measured.screened) + " not run; regret of exploration " +
         fixed(measured.regret, 2) + " runs of the incumbent, at worst " +
         percent(measured.worst_regret) + " slower\n";
}

Json trials_json(const MeasuredRecord& measured) {
  Json json;
  json["source"] = measured.source;
  json["first_seconds"] = measured.first_seconds;
  json["seconds"] = measured.seconds;
  json["measured"] = measured.measured;
  json["timed_out"] = measured.timed_out;
  json["out_of_memory"] = measured.out_of_memory;
  json["screened"] = measured.screened;
  json["adopted"] = measured.adopted;
  json["regret"] = measured.regret;
  json["worst_regret"] = measured.worst_regret;
  return json;
}

}  // namespace berth::launcher
