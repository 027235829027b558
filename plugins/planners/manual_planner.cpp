// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "manual_planner.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <tuple>

#include "berth/error.hpp"

#include "cut_dp.hpp"
#include "layer_split.hpp"
#include "plan_builder.hpp"

namespace berth::planners {
namespace {

class ManualPlanner final : public StrategyPlanner {
 public:
  explicit ManualPlanner(const Config& config) : config_(config), rules_(rules_of(config)) {}

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& /*share*/) override {
    check_problem(problem);
    if (const std::string reason = too_wide(problem); !reason.empty()) {
      StrategyAnswer answer;
      answer.infeasible.push_back(reason);
      return answer;
    }
    PlanBook book(problem, rules_, top_k);
    const std::vector<std::uint32_t> blocks = eligible(problem);
    for (const std::uint32_t stages : stage_counts(problem)) {
      for (const std::uint32_t configuration : blocks) {
        const std::size_t room = problem.network.num_devices() /
                                 (problem.configurations[configuration].block() * stages);
        const auto most = static_cast<std::uint32_t>(
            std::min<std::size_t>(room, problem.configurations[configuration].micro_batches));
        const auto data = given("data") > 0 ? given("data") : most;
        if (data == 0) {
          continue;
        }
        if (enter(problem, configuration, stages, data, book)) {
          return std::move(book).answer("manual");  // as little model parallelism as fits
        }
      }
    }
    return std::move(book).answer("manual");
  }

 private:
  [[nodiscard]] std::uint32_t given(const char* name) const {
    return static_cast<std::uint32_t>(config_.integer(name));
  }

  // Which given degrees multiply to more devices than there are; empty if they do not.
  [[nodiscard]] std::string too_wide(const StrategyProblem& problem) const {
    std::string names;
    std::string numbers;
    double devices = 1.0;
    for (const char* name : {"tensor", "expert", "context", "stages", "data"}) {
      if (given(name) > 1) {
        names += (names.empty() ? "" : " x ") + std::string(name);
        numbers += (numbers.empty() ? "" : " x ") + config_.text(name);
        devices *= given(name);
      }
    }
    const std::size_t there = problem.network.num_devices();
    if (devices <= static_cast<double>(there)) {
      return {};
    }
    char product[32];
    std::snprintf(product, sizeof product, "%.0f", devices);
    return "manual: " + names + " = " + (numbers == product ? "" : numbers + " = ") + product +
           " exceeds the " + std::to_string(there) + " devices of " + problem.cluster;
  }

  // Configurations that the options and the rules allow, smallest block first; of equal blocks the
  // one with wider expert parallelism.
  [[nodiscard]] std::vector<std::uint32_t> eligible(const StrategyProblem& problem) const {
    std::vector<std::uint32_t> found;
    const std::size_t node = problem.network.largest_unit(0);
    for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
      const StrategyConfiguration& c = problem.configurations[index];
      const bool tensor = given("tensor") > 0 ? c.tensor == given("tensor") : c.tensor <= node;
      const bool expert = given("expert") > 0
                              ? c.expert == given("expert")
                              : std::size_t{c.tensor} * c.expert <= std::max<std::size_t>(node, 1);
      // Where both exist, sequence parallelism goes with tensor parallelism.
      const std::string& wanted = config_.text("sequence_parallel");
      const bool plain = wanted == "auto"
                             ? c.tensor > 1 && !c.sequence_parallel && has_sequence_twin(problem, c)
                             : c.sequence_parallel != (wanted == "true");
      if (tensor && expert && !plain && c.context == given("context") &&
          c.micro_batch == given("micro_batch")) {
        found.push_back(index);
      }
    }
    std::stable_sort(found.begin(), found.end(), [&](std::uint32_t a, std::uint32_t b) {
      const StrategyConfiguration& x = problem.configurations[a];
      const StrategyConfiguration& y = problem.configurations[b];
      return std::make_tuple(x.block(), y.expert) < std::make_tuple(y.block(), x.expert);
    });
    if (found.empty()) {
      throw InputError(
          "manual: no configuration of " + problem.model + " has tensor=" + config_.text("tensor") +
          ", expert=" + config_.text("expert") + ", context=" + config_.text("context") +
          ", micro_batch=" + config_.text("micro_batch") +
          "; expected degrees that divide the model");
    }
    return found;
  }

  static bool has_sequence_twin(const StrategyProblem& problem, const StrategyConfiguration& c) {
    return std::any_of(problem.configurations.begin(),
                       problem.configurations.end(),
                       [&c](const StrategyConfiguration& other) {
                         return other.sequence_parallel && other.tensor == c.tensor &&
                                other.context == c.context && other.expert == c.expert &&
                                other.micro_batch == c.micro_batch;
                       });
  }

  [[nodiscard]] std::vector<std::uint32_t> stage_counts(const StrategyProblem& problem) const {
    if (!config_.text("layers").empty()) {
      const auto stages =
          static_cast<std::uint32_t>(parse_split(problem, config_.text("layers")).size());
      if (given("stages") > 0 && given("stages") != stages) {
        throw InputError("manual: layers=" + config_.text("layers") + " has " +
                         std::to_string(stages) +
                         " stages; expected stages=" + config_.text("stages"));
      }
      return {stages};
    }
    if (given("stages") > 0) {
      return {given("stages")};
    }
    std::vector<std::uint32_t> counts;
    for (std::uint32_t p = 1; p <= problem.layers.size(); p *= 2) {
      counts.push_back(p);
    }
    return counts;
  }

  // Whether some recomputation makes the plan fit.
  bool enter(const StrategyProblem& problem,
             std::uint32_t configuration,
             std::uint32_t stages,
             std::uint32_t data,
             PlanBook& book) const {
    const StrategyConfiguration& c = problem.configurations[configuration];
    const bool shards = std::size_t{data} * c.context * c.expert > 1;
    const std::uint32_t zero = shards ? given("zero") : 0;
    const Packing packing =
        config_.text("packing") == "data-inner" ? Packing::kDataInner : Packing::kPipelineInner;
    if (config_.text("cuts") == "best") {
      if (stages > problem.layers.size() ||
          c.block() * stages * data > problem.network.num_devices()) {
        return false;
      }
      const CutTask task{&problem, configuration, stages, data, zero, packing};
      const auto found = find_cuts(task, CutView{rules_, false, true}, INFINITY);
      if (found && book.enter(found->choice).fits) {
        return true;
      }
    }
    const std::vector<std::uint32_t> layers = config_.text("layers").empty()
                                                  ? even_split(problem, stages)
                                                  : parse_split(problem, config_.text("layers"));
    PlanChoice choice;
    choice.zero = zero;
    choice.packing = packing;
    for (const std::uint32_t count : layers) {
      choice.stages.push_back({count, configuration, data, Recompute::kNone});
    }
    if (layers.empty()) {
      return false;
    }
    for (std::size_t r = 0; r < (problem.recompute_allowed ? kRecomputeChoices : 1); ++r) {
      for (StageChoice& stage : choice.stages) {
        stage.recompute = static_cast<Recompute>(r);
      }
      if (book.enter(choice).fits) {
        return true;
      }
    }
    return false;
  }

  Config config_;
  PlanRules rules_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> make_manual(const HostServices& host) {
  return std::make_unique<ManualPlanner>(*host.config);
}

}  // namespace berth::planners
