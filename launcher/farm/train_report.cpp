// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "train_report.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

#include "berth/units.hpp"

#include "table.hpp"
#include "trial_output.hpp"

namespace berth::launcher {
namespace {

using Json = nlohmann::ordered_json;

double gap_of(double makespan, const PlacementProblem& problem) {
  return problem.lower_bound > 0.0 ? makespan / problem.lower_bound - 1.0 : 0.0;
}

Json json_row(const std::string& policy,
              double makespan,
              std::uint64_t simulations,
              const PlacementProblem& problem) {
  const bool known = std::isfinite(makespan);
  Json row;
  row["policy"] = policy;
  row["makespan"] = known ? Json(makespan) : Json(nullptr);
  row["makespan_seconds"] = known ? Json(makespan * problem.costs.seconds_per_unit) : Json(nullptr);
  row["gap"] = known ? Json(gap_of(makespan, problem)) : Json(nullptr);
  row["simulations"] = simulations;
  return row;
}

/// Calls `add` for each row of a problem: what was learned, incumbents, rivals.
template <class Add>
void for_each_row(const TrainReport& report, std::size_t p, const Add& add) {
  const ProblemRecord& problem = report.record->problems[p];
  add(report.policy + " (learned)", problem.learned_makespan, problem.simulations);
  for (const RivalResult& incumbent : problem.incumbents) {
    add(incumbent.policy, incumbent.makespan, incumbent.simulations);
  }
  for (const RivalResult& rival : report.rivals[p]) {
    add(rival.policy, rival.makespan, rival.simulations);
  }
}

}  // namespace

std::string to_table(const TrainReport& report) {
  Table table({"problem", "policy", "makespan", "time", "gap", "simulations"});
  for (std::size_t p = 0; p < report.problems->size(); ++p) {
    const PlacementProblem& problem = *(*report.problems)[p];
    for_each_row(
        report, p, [&](const std::string& policy, double makespan, std::uint64_t simulations) {
          const bool known = std::isfinite(makespan);
          const double seconds = makespan * problem.costs.seconds_per_unit;
          table.add_row({problem.name,
                         policy,
                         known ? significant(makespan, 6) : "none",
                         known ? format(Seconds{seconds}) : "none",
                         known ? percent(gap_of(makespan, problem)) : "none",
                         std::to_string(simulations)});
        });
  }
  std::string text = table.text();
  for (std::size_t p = 0; p < report.problems->size(); ++p) {
    const MeasuredRecord& measured = report.record->problems[p].measured;
    text += measured.has_incumbent() ? trials_text((*report.problems)[p]->name, measured) : "";
  }
  const bool one = report.problems->size() == 1;
  for (std::size_t p = 0; p < report.problems->size(); ++p) {
    const std::string name =
        one ? "best_placement.json" : "best_placement_" + std::to_string(p) + ".json";
    text += (one ? "best placement: " : "best placement of " + (*report.problems)[p]->name + ": ") +
            (report.folder / name).string() + " (found by " +
            (report.record->problems[p].measured.has_incumbent()
                 ? report.record->problems[p].measured.source + ", measured"
                 : report.record->problems[p].best_source) +
            ")\n";
  }
  return text;
}

std::string to_json_line(const TrainReport& report) {
  Json json;
  json["out"] = report.folder.string();
  json["policy"] = report.policy;
  json["updates"] = report.record->update;
  json["rollouts"] = report.record->rollouts;
  json["failed"] = report.record->failed;
  json["problems"] = Json::array();
  for (std::size_t p = 0; p < report.problems->size(); ++p) {
    const PlacementProblem& problem = *(*report.problems)[p];
    const ProblemRecord& record = report.record->problems[p];
    Json row;
    row["graph"] = problem.name;
    row["lower_bound"] = problem.lower_bound;
    row["best"] = record.best_makespan;
    row["best_source"] = record.best_source;
    row["results"] = Json::array();
    for_each_row(
        report, p, [&](const std::string& policy, double makespan, std::uint64_t simulations) {
          row["results"].push_back(json_row(policy, makespan, simulations, problem));
        });
    if (record.measured.has_incumbent()) {
      row["measured"] = trials_json(record.measured);
    }
    json["problems"].push_back(std::move(row));
  }
  return json.dump();
}

}  // namespace berth::launcher
