// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Trains DOPPLER in one process, as the farm does over ranks, and prints speed and makespans:
//   doppler_bench [updates=I,S] [group=G] [seed=N] [zero_shot=FILE] FILE... [option=value...]
// The first `updates` number is that of imitation updates, the second that of simulation.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "berth/evaluator.hpp"
#include "berth/logger.hpp"

#include "datasets/graph_file.hpp"
#include "doppler_policy.hpp"
#include "option_table.hpp"

namespace {

using namespace berth;  // NOLINT(google-build-using-namespace)

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Campaign {
  std::uint64_t imitation = 40;
  std::uint64_t simulation = 200;
  std::uint64_t group = 16;
  std::uint64_t seed = 1;
  std::vector<std::shared_ptr<const PlacementProblem>> problems;
  std::vector<double> best;
  std::vector<double> mean;
  std::uint64_t rollouts = 0;
  std::uint64_t simulations = 0;
};

double report_unit(const PlacementProblem& problem) {
  return 1e-3 / problem.costs.seconds_per_unit;
}

void update(Campaign& campaign,
            doppler::DopplerPolicy& policy,
            Stage stage,
            std::uint64_t number,
            double progress) {
  std::vector<Rollout> rollouts;
  std::vector<RolloutOutcome> outcomes;
  const std::size_t problems = campaign.problems.size();
  for (std::uint32_t p = 0; p < problems; ++p) {
    const PlacementProblem& problem = *campaign.problems[p];
    Simulator simulator(problem);
    for (std::uint64_t i = 0; i < campaign.group; ++i) {
      const std::uint64_t id = campaign.rollouts++;
      Rng seed(campaign.seed, {number, id});
      const RolloutSpec spec{to_id<RolloutId>(id), seed.next(), p, stage, progress};
      rollouts.push_back(stage == Stage::kImitation ? policy.demonstrate(problem, spec)
                                                    : policy.rollout(problem, spec));
      const double makespan = simulator.makespan(rollouts.back().placement.device);
      campaign.simulations += rollouts.back().simulations + 1;
      outcomes.push_back({spec, RolloutStatus::kOk, makespan, 0.0});
    }
  }
  policy.assess(outcomes);
  std::vector<float> gradient(policy.parameters().size(), 0.0F);
  for (std::uint32_t p = 0; p < problems; ++p) {
    std::vector<ScoredRollout> group;
    campaign.mean[p] = 0.0;
    for (std::size_t i = p * campaign.group; i < (p + 1) * campaign.group; ++i) {
      group.push_back({&rollouts[i], outcomes[i]});
      campaign.mean[p] += outcomes[i].makespan / static_cast<double>(campaign.group);
      if (outcomes[i].makespan < campaign.best[p]) {
        campaign.best[p] = outcomes[i].makespan;
        policy.improved(*campaign.problems[p], p, rollouts[i].placement, outcomes[i].makespan);
      }
    }
    policy.gradient(*campaign.problems[p], group, gradient);
  }
  policy.step(gradient, {number, stage, progress, outcomes.size()});
}

void report(const Campaign& campaign, const char* stage, std::uint64_t number, double seconds) {
  std::printf("%s %llu rollouts %llu sims %llu cpu %.1f s, %.0f episodes/s:",
              stage,
              static_cast<unsigned long long>(number),
              static_cast<unsigned long long>(campaign.rollouts),
              static_cast<unsigned long long>(campaign.simulations),
              seconds,
              static_cast<double>(campaign.rollouts) / seconds);
  for (std::size_t p = 0; p < campaign.problems.size(); ++p) {
    const double unit = report_unit(*campaign.problems[p]);
    std::printf("  %.2f (mean %.1f)", campaign.best[p] / unit, campaign.mean[p] / unit);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void place_alone(doppler::DopplerPolicy& policy, const PlacementProblem& problem) {
  Evaluator greedy(problem, {1, 0.0});
  Rng rng(7);
  static_cast<void>(policy.place(problem, greedy, rng));
  Evaluator sampled(problem);
  static_cast<void>(policy.place(problem, sampled, rng));
  std::printf("place %s: greedy %.2f, best of %llu %.2f\n",
              problem.name.c_str(),
              greedy.best_makespan() / report_unit(problem),
              static_cast<unsigned long long>(sampled.simulations()),
              sampled.best_makespan() / report_unit(problem));
}

void run(Campaign& campaign, doppler::DopplerPolicy& policy) {
  const double start = cpu_seconds();
  const std::uint64_t every =
      std::max<std::uint64_t>(1, (campaign.imitation + campaign.simulation) / 12);
  for (std::uint64_t u = 0; u < campaign.imitation + campaign.simulation; ++u) {
    const bool imitates = u < campaign.imitation;
    const double progress = imitates
                                ? static_cast<double>(u) / static_cast<double>(campaign.imitation)
                                : static_cast<double>(u - campaign.imitation) /
                                      static_cast<double>(campaign.simulation);
    update(campaign, policy, imitates ? Stage::kImitation : Stage::kSimulation, u, progress);
    if ((u + 1) % every == 0 || u + 1 == campaign.imitation) {
      report(campaign, imitates ? "imitation" : "simulation", u + 1, cpu_seconds() - start);
    }
  }
}

void time_rollouts(const doppler::DopplerPolicy& policy, const PlacementProblem& problem) {
  const double start = cpu_seconds();
  std::uint64_t count = 0;
  Rng rng(3);
  while (cpu_seconds() - start < 0.5) {
    static_cast<void>(doppler::play_episode(*policy.prepare(problem), policy.settings(), {}, rng));
    ++count;
  }
  std::printf("rollouts alone on %s: %.0f/s\n",
              problem.name.c_str(),
              static_cast<double>(count) / (cpu_seconds() - start));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Config config(doppler::kOptions, "doppler");
    Campaign campaign;
    std::vector<std::shared_ptr<const PlacementProblem>> unseen;
    StderrLogger logger(LogLevel::kWarning);
    config.set("recall", "false");
    const auto problem_of = [&logger](const std::string& file) {
      return make_problem(file.substr(file.rfind('/') + 1),
                          datasets::read_graph(file, logger),
                          Topology::uniform(file.find("8gpu") == std::string::npos ? 4 : 8),
                          {});
    };
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      const std::size_t equal = word.find('=');
      const std::string name = word.substr(0, equal);
      const std::string value = equal == std::string::npos ? "" : word.substr(equal + 1);
      if (name == "updates") {
        campaign.imitation = std::strtoull(value.c_str(), nullptr, 10);
        campaign.simulation = std::strtoull(value.substr(value.find(',') + 1).c_str(), nullptr, 10);
      } else if (name == "group") {
        campaign.group = std::strtoull(value.c_str(), nullptr, 10);
      } else if (name == "seed") {
        campaign.seed = std::strtoull(value.c_str(), nullptr, 10);
      } else if (name == "zero_shot") {
        unseen.push_back(problem_of(value));
      } else if (equal == std::string::npos) {
        campaign.problems.push_back(problem_of(word));
      } else {
        config.set(name, value);
      }
    }
    campaign.best.assign(campaign.problems.size(), std::numeric_limits<double>::infinity());
    campaign.mean.assign(campaign.problems.size(), 0.0);
    doppler::DopplerPolicy policy(doppler::parse_settings(config), campaign.seed);
    std::printf(
        "parameters: SEL %zu, PLC %zu\n", policy.layout().sel_size(), policy.layout().plc_size());
    for (const auto& problem : campaign.problems) {
      time_rollouts(policy, *problem);
    }
    run(campaign, policy);
    for (const auto& problem : campaign.problems) {
      place_alone(policy, *problem);
    }
    for (const auto& problem : unseen) {
      place_alone(policy, *problem);
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "doppler_bench: %s\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
