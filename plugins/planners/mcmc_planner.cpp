// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include "layer_split.hpp"
#include "random_choice.hpp"
#include "random_planner.hpp"

namespace berth::planners {
namespace {

class McmcPlanner final : public StrategyPlanner {
 public:
  explicit McmcPlanner(const HostServices& host)
      : evaluations_(host.config->integer("evaluations")),
        chains_(host.config->integer("chains")),
        temperature_(host.config->real("temperature")),
        rules_(rules_of(*host.config)),
        seed_(host.seed) {}

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& /*share*/) override {
    check_problem(problem);
    PlanBook book(problem, rules_, top_k);
    for (std::int64_t chain = 0; chain < chains_; ++chain) {
      Rng rng(seed_, {0x6d636d63, static_cast<std::uint64_t>(chain)});
      walk(problem, rng, share_of(chain), book);
    }
    return std::move(book).answer("mcmc");
  }

 private:
  [[nodiscard]] std::int64_t share_of(std::int64_t chain) const {
    return evaluations_ / chains_ + (chain < evaluations_ % chains_ ? 1 : 0);
  }

  void walk(const StrategyProblem& problem, Rng& rng, std::int64_t steps, PlanBook& book) const {
    if (steps == 0) {
      return;
    }
    PlanChoice here = random_choice(problem, rng);
    double energy = log_energy(book.enter(here));
    for (std::int64_t step = 1; step < steps; ++step) {
      const double heat =
          temperature_ * std::pow(1e-3, static_cast<double>(step) / static_cast<double>(steps));
      PlanChoice there = propose(problem, here, rng);
      const double next = log_energy(book.enter(there));
      if (next <= energy || rng.uniform() < std::exp((energy - next) / heat)) {
        here = std::move(there);
        energy = next;
      }
    }
  }

  // Logarithm, so that one temperature suits every model; overflow weighs four times.
  static double log_energy(const PlanScore& score) {
    return std::log(score.seconds_per_batch) + 4.0 * std::log(std::max(1.0, score.fullest_share));
  }

  static PlanChoice propose(const StrategyProblem& problem, const PlanChoice& here, Rng& rng) {
    PlanChoice there = here;
    switch (rng.below(6)) {
      case 0:
        shift_cut(there, rng);
        break;
      case 1:
        restage(problem, there, rng);
        break;
      case 2:
        reconfigure(problem, there, rng);
        break;
      case 3:
        there.zero = static_cast<std::uint32_t>(rng.below(4));
        break;
      case 4:
        there.packing =
            here.packing == Packing::kDataInner ? Packing::kPipelineInner : Packing::kDataInner;
        break;
      default:
        recompute(problem, there, rng);
        break;
    }
    return there;
  }

  static void shift_cut(PlanChoice& choice, Rng& rng) {
    if (choice.stages.size() < 2) {
      return;
    }
    const std::size_t cut = rng.below(choice.stages.size() - 1);
    const bool left = rng.below(2) == 0;
    StageChoice& from = choice.stages[left ? cut : cut + 1];
    StageChoice& to = choice.stages[left ? cut + 1 : cut];
    if (from.num_layers > 1) {
      --from.num_layers;
      ++to.num_layers;
    }
  }

  // Another number of stages, cut evenly, with all the replicas that fit.
  static void restage(const StrategyProblem& problem, PlanChoice& choice, Rng& rng) {
    const std::uint32_t index = choice.stages[0].configuration;
    const std::size_t most =
        std::min(problem.layers.size(),
                 problem.network.num_devices() / problem.configurations[index].block());
    const std::size_t now = choice.stages.size();
    std::size_t stages = rng.below(2) == 0   ? 1 + rng.below(most)
                         : rng.below(2) == 0 ? std::min(now + 1, most)
                                             : std::max<std::size_t>(now - 1, 1);
    deal(problem, choice, index, stages);
  }

  static void reconfigure(const StrategyProblem& problem, PlanChoice& choice, Rng& rng) {
    const auto index = static_cast<std::uint32_t>(rng.below(problem.configurations.size()));
    const std::size_t room = problem.network.num_devices() / problem.configurations[index].block();
    if (room > 0) {
      deal(problem, choice, index, std::min(choice.stages.size(), room));
    }
  }

  static void deal(const StrategyProblem& problem,
                   PlanChoice& choice,
                   std::uint32_t index,
                   std::size_t stages) {
    const Recompute kept = choice.stages[0].recompute;
    const std::uint32_t replicas = most_replicas(problem, index, stages);
    std::vector<std::uint32_t> layers = even_split(problem, static_cast<std::uint32_t>(stages));
    if (stages == choice.stages.size()) {
      layers.clear();
      for (const StageChoice& stage : choice.stages) {
        layers.push_back(stage.num_layers);
      }
    }
    if (layers.empty()) {
      layers.assign(stages, 1);
      layers.back() += static_cast<std::uint32_t>(problem.layers.size() - stages);
    }
    choice.stages.clear();
    for (const std::uint32_t count : layers) {
      choice.stages.push_back({count, index, replicas, kept});
    }
  }

  static void recompute(const StrategyProblem& problem, PlanChoice& choice, Rng& rng) {
    const std::size_t choices = problem.recompute_allowed ? kRecomputeChoices : 1;
    const auto fresh = static_cast<Recompute>(rng.below(choices));
    if (rng.below(2) == 0) {
      choice.stages[rng.below(choice.stages.size())].recompute = fresh;
      return;
    }
    for (StageChoice& stage : choice.stages) {
      stage.recompute = fresh;
    }
  }

  std::int64_t evaluations_;
  std::int64_t chains_;
  double temperature_;
  PlanRules rules_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> make_mcmc(const HostServices& host) {
  return std::make_unique<McmcPlanner>(host);
}

}  // namespace berth::planners
