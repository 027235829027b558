// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "artifact_fixed.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <sstream>

#include "berth/error.hpp"

#include "artifact_chain.hpp"
#include "plan_builder.hpp"

namespace berth::planners {
namespace {

using Cuts = std::vector<std::size_t>;  // [stages + 1]

class ArtifactFixed final : public StrategyPlanner {
 public:
  explicit ArtifactFixed(const Config& config)
      : stages_(static_cast<std::size_t>(config.integer("stages"))),
        data_(static_cast<std::uint32_t>(config.integer("data"))),
        tensor_(static_cast<std::uint32_t>(config.integer("tensor"))),
        transformer_layers_(static_cast<std::size_t>(config.integer("transformer_layers"))),
        layers_(config.text("layers")),
        cuts_(config.text("cuts")),
        rules_{config.text("recompute_cost") == "backward", config.text("fill") == "sum"} {
    if (rules_.fill_by_sum && cuts_ != "even") {
      throw InputError("artifact-fixed: fill=sum with cuts=" + cuts_ + "; expected cuts=even");
    }
  }

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t /*top_k*/,
                      const WorkShare& /*share*/) override {
    check_problem(problem);
    const std::uint32_t index = configuration_of(problem);
    const std::size_t need = problem.configurations[index].block() * stages_ * data_;
    StrategyAnswer answer;
    answer.candidates = answer.solved = 1;
    if (need > problem.network.num_devices()) {
      answer.infeasible.push_back("devices: the plan takes " + std::to_string(need) + " of " +
                                  std::to_string(problem.network.num_devices()));
      return answer;
    }
    const ArtifactChain chain(problem, index, rules_.recompute_at_backward_cost);
    const std::size_t batch = problem.configurations[index].micro_batches;
    Cuts cuts;
    double seconds = 0.0;
    if (cuts_ == "best") {
      const std::size_t stages = std::min(stages_, problem.layers.size());
      cuts = best_cuts(problem, chain, stages, data_, batch);
    } else {
      cuts = cuts_ == "even" ? even_cuts(problem) : artifact_cuts(problem);
    }
    if (cuts_ == "artifact") {
      seconds = reversed_seconds(problem, chain, cuts, data_, batch);
    }
    if (cuts.empty() || std::isinf(seconds)) {
      answer.infeasible.emplace_back("memory: a stage of the plan does not fit");
      return answer;
    }
    ParallelPlan plan = plan_of(problem, index, cuts);
    if (cuts_ != "artifact") {
      const ArtifactScore score = score_artifact_plan(problem, plan, rules_);
      if (!score.fits) {
        answer.infeasible.emplace_back("memory: a stage of the plan does not fit");
        return answer;
      }
      seconds = score.seconds_per_batch;
    }
    plan.seconds_per_batch = seconds;
    plan.key = {seconds, seconds, 0, 0};
    answer.plans.push_back(std::move(plan));
    return answer;
  }

 private:
  [[nodiscard]] std::uint32_t configuration_of(const StrategyProblem& problem) const {
    for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
      if (problem.configurations[index].tensor == tensor_) {
        return index;
      }
    }
    throw InputError("artifact-fixed: " + problem.model + " has no tensor width " +
                     std::to_string(tensor_) + "; expected one of its configurations");
  }

  [[nodiscard]] std::size_t per_stage() const {
    return (transformer_layers_ + stages_ - 1) / stages_;
  }

  // Counts of layers per stage, given or even; the last may be less, or nothing.
  [[nodiscard]] Cuts counts() const {
    Cuts counts;
    std::stringstream pieces(layers_);
    for (std::string piece; std::getline(pieces, piece, ',');) {
      std::size_t count = 0;
      const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), count);
      if (error != std::errc() || end != piece.data() + piece.size()) {
        throw InputError("artifact-fixed: layers '" + layers_ +
                         "'; expected counts, such as 4,4,5");
      }
      counts.push_back(count);
    }
    if (!layers_.empty() && counts.size() != stages_) {
      throw InputError("artifact-fixed: layers '" + layers_ + "'; expected " +
                       std::to_string(stages_) + " counts");
    }
    if (layers_.empty()) {
      counts.assign(stages_, per_stage());
    }
    return counts;
  }

  [[nodiscard]] Cuts even_cuts(const StrategyProblem& problem) const {
    const std::size_t n = problem.layers.size();
    if (n <= transformer_layers_) {
      throw InputError("artifact-fixed: " + std::to_string(n) +
                       " layers; expected an embedding beside the " +
                       std::to_string(transformer_layers_) + " transformer layers");
    }
    // The embedding stands before the transformer layers, a head behind them.
    Cuts cuts = {0};
    for (std::size_t end = 1 + per_stage(); end < 1 + transformer_layers_; end += per_stage()) {
      cuts.push_back(end);
    }
    cuts.push_back(n);
    return cuts;
  }

  [[nodiscard]] Cuts artifact_cuts(const StrategyProblem& problem) const {
    const std::size_t n = problem.layers.size();
    Cuts cuts = {0};
    for (const std::size_t count : counts()) {
      cuts.push_back(cuts.back() + count);
    }
    cuts.back() = std::max(cuts.back(), n);  // what is left over
    for (std::size_t q = 0; q < stages_; ++q) {
      cuts[q + 1] = std::min(cuts[q + 1], n);
      if (cuts[q + 1] == cuts[q]) {
        throw InputError(
            "artifact-fixed: stage " + std::to_string(q + 1) + " of " + std::to_string(stages_) +
            " has no layer, which the artifact leaves undefined; expected fewer stages");
      }
    }
    return cuts;
  }

  [[nodiscard]] ParallelPlan plan_of(const StrategyProblem& problem,
                                     std::uint32_t index,
                                     const Cuts& cuts) const {
    PlanChoice choice;
    for (std::size_t q = 0; q + 1 < cuts.size(); ++q) {
      choice.stages.push_back(
          {static_cast<std::uint32_t>(cuts[q + 1] - cuts[q]), index, data_, Recompute::kNone});
    }
    return build_plan(problem, choice);
  }

  std::size_t stages_;
  std::uint32_t data_;
  std::uint32_t tensor_;
  std::size_t transformer_layers_;
  std::string layers_;
  std::string cuts_;
  ArtifactRules rules_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> make_artifact_fixed(const HostServices& host) {
  return std::make_unique<ArtifactFixed>(*host.config);
}

}  // namespace berth::planners
