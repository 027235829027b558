// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "exhaustive_planner.hpp"

#include <algorithm>
#include <cmath>

#include "berth/error.hpp"

#include "plan_builder.hpp"
#include "random_choice.hpp"

namespace berth::planners {
namespace {

class Enumeration {
 public:
  Enumeration(const StrategyProblem& problem, PlanBook& book)
      : problem_(problem),
        book_(book),
        recomputes_(problem.recompute_allowed ? kRecomputeChoices : 1) {}

  // Number of plans; infinite where a double overflows.
  [[nodiscard]] double count() const {
    double plans = 0.0;
    const auto layers = static_cast<double>(problem_.layers.size());
    for (std::uint32_t index = 0; index < problem_.configurations.size(); ++index) {
      for (std::size_t stages = 1; stages <= most_stages(index); ++stages) {
        const auto p = static_cast<double>(stages);
        const double cuts =
            std::exp(std::lgamma(layers) - std::lgamma(p) - std::lgamma(layers - p + 1.0));
        plans += most_replicas(problem_, index, stages) * 8.0 * cuts *
                 std::pow(static_cast<double>(recomputes_), p);
      }
    }
    return plans;
  }

  void run() {
    for (std::uint32_t index = 0; index < problem_.configurations.size(); ++index) {
      for (std::size_t p = 1; p <= most_stages(index); ++p) {
        for (std::uint32_t d = 1; d <= most_replicas(problem_, index, p); ++d) {
          choice_.stages.assign(p, {1, index, d, Recompute::kNone});
          cut(0, static_cast<std::uint32_t>(problem_.layers.size()));
        }
      }
    }
  }

 private:
  [[nodiscard]] std::size_t most_stages(std::uint32_t index) const {
    return std::min(problem_.layers.size(),
                    problem_.network.num_devices() / problem_.configurations[index].block());
  }

  void cut(std::size_t q, std::uint32_t left) {
    const std::size_t behind = choice_.stages.size() - 1 - q;
    if (behind == 0) {
      choice_.stages[q].num_layers = left;
      recompute(0);
      return;
    }
    for (std::uint32_t count = 1; count + behind <= left; ++count) {
      choice_.stages[q].num_layers = count;
      cut(q + 1, left - count);
    }
  }

  void recompute(std::size_t q) {
    if (q < choice_.stages.size()) {
      for (std::size_t r = 0; r < recomputes_; ++r) {
        choice_.stages[q].recompute = static_cast<Recompute>(r);
        recompute(q + 1);
      }
      return;
    }
    const StrategyConfiguration& c = problem_.configurations[choice_.stages[0].configuration];
    const std::size_t shards = choice_.stages[0].replicas * c.context * c.expert;
    for (choice_.zero = 0; choice_.zero <= (shards > 1 ? 3U : 0U); ++choice_.zero) {
      for (const Packing packing : {Packing::kPipelineInner, Packing::kDataInner}) {
        choice_.packing = packing;
        const bool same = choice_.stages.size() == 1 || choice_.stages[0].replicas == 1;
        if (packing == Packing::kPipelineInner || !same) {
          book_.enter(choice_);
        }
      }
    }
  }

  const StrategyProblem& problem_;
  PlanBook& book_;
  std::size_t recomputes_;
  PlanChoice choice_;
};

class ExhaustivePlanner final : public StrategyPlanner {
 public:
  explicit ExhaustivePlanner(const Config& config)
      : most_(config.real("evaluations")), rules_(rules_of(config)) {}

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& /*share*/) override {
    check_problem(problem);
    PlanBook book(problem, rules_, top_k);
    Enumeration plans(problem, book);
    if (plans.count() > most_) {
      throw InputError(
          "exhaustive: " + problem.model + " has about 1e" +
          std::to_string(static_cast<int>(std::log10(plans.count()))) +
          " plans; expected at most evaluations=" + std::to_string(static_cast<long long>(most_)));
    }
    plans.run();
    return std::move(book).answer("exhaustive");
  }

 private:
  double most_;
  PlanRules rules_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> make_exhaustive_planner(const HostServices& host) {
  return std::make_unique<ExhaustivePlanner>(*host.config);
}

}  // namespace berth::planners
