// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "uniform_planner.hpp"

#include <algorithm>
#include <cmath>

#include "cut_dp.hpp"
#include "layer_split.hpp"
#include "plan_builder.hpp"
#include "planner_options.hpp"

namespace berth::planners {
namespace {

class UniformPlanner final : public StrategyPlanner {
 public:
  explicit UniformPlanner(const PlanRules& rules) : rules_(rules) {}

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& /*share*/) override {
    check_problem(problem);
    PlanBook book(problem, rules_, top_k);
    for (const DegreeBound& group : degree_bounds(problem)) {
      if (group.seconds >= book.worst_seconds()) {
        break;
      }
      enter(problem, group, book);
    }
    return std::move(book).answer("uniform");
  }

 private:
  static void enter(const StrategyProblem& problem, const DegreeBound& group, PlanBook& book) {
    const std::vector<std::uint32_t> layers = even_split(problem, group.stages);
    if (layers.empty()) {
      return;
    }
    const StrategyConfiguration& c = problem.configurations[group.configuration];
    const bool shards = std::size_t{group.data} * c.context * c.expert > 1;
    PlanChoice choice;
    for (const std::uint32_t count : layers) {
      choice.stages.push_back({count, group.configuration, group.data, Recompute::kNone});
    }
    for (choice.zero = 0; choice.zero <= (shards ? 3U : 0U); ++choice.zero) {
      for (const Packing packing : {Packing::kPipelineInner, Packing::kDataInner}) {
        choice.packing = packing;
        if (packing == Packing::kDataInner && (group.data == 1 || group.stages == 1)) {
          continue;
        }
        for (std::size_t r = 0; r < (problem.recompute_allowed ? kRecomputeChoices : 1); ++r) {
          for (StageChoice& stage : choice.stages) {
            stage.recompute = static_cast<Recompute>(r);
          }
          if (compute_seconds(problem, choice) >= book.worst_seconds() || book.enter(choice).fits) {
            break;  // computing more again only takes longer
          }
        }
      }
    }
  }

  // What layers and recomputation alone take, on the fastest class.
  static double compute_seconds(const StrategyProblem& problem, const PlanChoice& choice) {
    const StrategyConfiguration& c = problem.configurations[choice.stages[0].configuration];
    const std::uint32_t replicas = choice.stages[0].replicas;
    const auto r = static_cast<std::size_t>(choice.stages[0].recompute);
    double sum = 0.0;
    double slowest = 0.0;
    std::size_t v = 0;
    for (const StageChoice& stage : choice.stages) {
      double load = 0.0;
      for (const std::size_t end = v + stage.num_layers; v < end; ++v) {
        double least = INFINITY;
        for (std::size_t k = 0; k < problem.classes.size(); ++k) {
          const LayerCost& cost = problem.cost(c, k, v);
          least = std::min(
              least, cost.forward_seconds + cost.backward_seconds + cost.recompute_seconds[r]);
        }
        load += least;
      }
      sum += load;
      slowest = std::max(slowest, load);
    }
    const double waves = (c.micro_batches + replicas - 1) / replicas;
    return (sum + (waves - 1.0) * slowest) * (1.0 - 1e-9);
  }

  PlanRules rules_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> make_uniform(const HostServices& host) {
  return std::make_unique<UniformPlanner>(rules_of(*host.config));
}

}  // namespace berth::planners
