// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "campaign_record.hpp"

#include <span>

#include "berth/error.hpp"

#include "state_arrays.hpp"

namespace berth::launcher {
namespace {

using Counts = std::vector<std::uint64_t>;
using Numbers = std::vector<double>;

std::string prefix_of(std::size_t problem) {
  return "problem_" + std::to_string(problem) + "/";
}

void save_problem(StateWriter& writer, const std::string& at, const ProblemRecord& problem) {
  put(writer, at + "best", problem.best);
  writer.text(at + "best_source", problem.best_source);
  put(writer, at + "makespans", Numbers{problem.best_makespan, problem.learned_makespan});
  put(writer, at + "simulations", Counts{problem.simulations});
  put(writer, at + "incumbents", Counts{problem.incumbents.size()});
  for (std::size_t i = 0; i < problem.incumbents.size(); ++i) {
    const RivalResult& incumbent = problem.incumbents[i];
    const std::string row = at + "incumbent_" + std::to_string(i) + "/";
    writer.text(row + "policy", incumbent.policy);
    put(writer, row + "makespan", Numbers{incumbent.makespan});
    put(writer, row + "simulations", Counts{incumbent.simulations});
  }
  if (problem.measured.has_incumbent()) {
    problem.measured.save(writer, at + "measured/");
  }
}

ProblemRecord load_problem(const StateReader& reader, const std::string& at) {
  ProblemRecord problem;
  problem.best = get_placement(reader, at + "best");
  problem.best_source = reader.text(at + "best_source");
  const Numbers makespans = get<double>(reader, at + "makespans", 2);
  problem.best_makespan = makespans[0];
  problem.learned_makespan = makespans[1];
  problem.simulations = get<std::uint64_t>(reader, at + "simulations", 1)[0];
  const std::uint64_t incumbents = get<std::uint64_t>(reader, at + "incumbents", 1)[0];
  for (std::uint64_t i = 0; i < incumbents; ++i) {
    const std::string row = at + "incumbent_" + std::to_string(i) + "/";
    RivalResult incumbent;
    incumbent.policy = reader.text(row + "policy");
    incumbent.makespan = get<double>(reader, row + "makespan", 1)[0];
    incumbent.simulations = get<std::uint64_t>(reader, row + "simulations", 1)[0];
    problem.incumbents.push_back(std::move(incumbent));
  }
  problem.measured.load(reader, at + "measured/");
  return problem;
}

}  // namespace

void CampaignRecord::save(StateWriter& writer) const {
  put(writer,
      "counts",
      Counts{update, rollouts, failed, window_count, best_window_stage, problems.size()});
  put(writer, "window", Numbers{window_ratio_sum, best_window_ratio});
  for (std::size_t p = 0; p < problems.size(); ++p) {
    save_problem(writer, prefix_of(p), problems[p]);
  }
}

void CampaignRecord::load(const StateReader& reader, std::size_t num_problems) {
  const Counts counts = get<std::uint64_t>(reader, "counts", 6);
  const Numbers window = get<double>(reader, "window", 2);
  if (counts[5] != num_problems) {
    throw CheckpointError("checkpoint of a campaign with " + std::to_string(counts[5]) +
                          " problems; expected " + std::to_string(num_problems));
  }
  update = counts[0];
  rollouts = counts[1];
  failed = counts[2];
  window_count = counts[3];
  best_window_stage = counts[4];
  window_ratio_sum = window[0];
  best_window_ratio = window[1];
  problems.clear();
  for (std::size_t p = 0; p < num_problems; ++p) {
    problems.push_back(load_problem(reader, prefix_of(p)));
  }
}

}  // namespace berth::launcher
