// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_why.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "berth/units.hpp"

#include "plan_report.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

// What the best plan does under a pin's key, and what else it might do.
struct Choice {
  std::string key;
  std::vector<std::string> others;
};

bool has_key(const std::string& pins, const std::string& key) {
  return ("," + pins).find("," + key + "=") != std::string::npos;
}

// Half and twice a degree, as far as they are possible.
template <class Possible>
std::vector<std::string> near(std::size_t degree, const Possible& possible) {
  std::vector<std::string> others;
  if (degree % 2 == 0 && possible(degree / 2)) {
    others.push_back(std::to_string(degree / 2));
  }
  if (possible(2 * degree)) {
    others.push_back(std::to_string(2 * degree));
  }
  return others;
}

std::vector<Choice> choices_of(const StrategyProblem& problem, const ParallelPlan& best) {
  std::vector<Choice> choices;
  const auto offered = [&problem](auto member) {
    return [&problem, member](std::size_t degree) {
      return std::ranges::any_of(problem.configurations,
                                 [&](const auto& c) { return c.*member == degree; });
    };
  };
  if (best.is_uniform()) {
    const std::size_t blocks = problem.network.num_devices() / best.stages.front().devices;
    const std::size_t layers = problem.layers.size();
    choices.push_back({"tp", near(best.tensor, offered(&StrategyConfiguration::tensor))});
    choices.push_back({"pp", near(best.depth(), [&](std::size_t depth) {
                         return depth <= layers && depth <= blocks;
                       })});
    choices.push_back({"dp", near(best.data, [&](std::size_t data) { return data <= blocks; })});
    if (best.depth() > 1) {
      std::vector<std::string> chunks =
          near(best.chunks, [&](std::size_t count) { return count * best.depth() <= layers; });
      if (best.chunks > 2) {
        chunks.insert(chunks.begin(), "1");
      }
      choices.push_back({"vpp", std::move(chunks)});
    }
  }
  choices.push_back({"mbs", near(best.micro_batch, offered(&StrategyConfiguration::micro_batch))});
  Choice zero{"zero", {}};
  for (std::uint32_t stage = 0; stage <= 3; ++stage) {
    if (stage != best.zero_stage) {
      zero.others.push_back(std::to_string(stage));
    }
  }
  choices.push_back(std::move(zero));
  if (best.depth() > 1 && best.data > 1 && best.is_uniform()) {
    choices.push_back(
        {"packing", {best.packing == Packing::kDataInner ? "pipeline-inner" : "data-inner"}});
  }
  Choice recompute{"recompute", {}};
  constexpr std::array<const char*, kRecomputeChoices> kNames = {"none", "selective", "full"};
  for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
    const bool all = std::ranges::all_of(best.stages, [r](const PlanStage& stage) {
      return static_cast<std::size_t>(stage.recompute) == r;
    });
    if (!all && (r == 0 || problem.recompute_allowed)) {
      recompute.others.emplace_back(kNames[r]);
    }
  }
  choices.push_back(std::move(recompute));
  // On many devices unequal stages are searched on demand alone; so they are here.
  if (!best.is_uniform() || problem.network.num_devices() <= 64) {
    choices.push_back({"mixed", {best.is_uniform() ? "true" : "false"}});
  }
  return choices;
}

}  // namespace

std::string binding_text(const StrategyProblem& problem,
                         const ParallelPlan& plan,
                         const PlanScore& score) {
  std::size_t slowest = 0;
  double mean = 0.0;
  for (std::size_t q = 0; q < score.times.size(); ++q) {
    mean += score.times[q].load() / static_cast<double>(score.times.size());
    slowest = score.times[q].load() > score.times[slowest].load() ? q : slowest;
  }
  const StageTime& time = score.times[slowest];
  const auto part = [&](double seconds) {
    return percent(time.load() > 0.0 ? seconds / time.load() : 0.0);
  };
  const PlanStage& fullest = plan.stages[score.fullest_stage];
  const std::string& device_class = problem.classes[problem.class_of(fullest.blocks[0][0])].name;
  return "what binds: time: stage " + std::to_string(slowest + 1) + " is the slowest with " +
         format(Seconds{time.load()}) + " a micro-batch, " +
         percent(mean > 0.0 ? time.load() / mean - 1.0 : 0.0) + " above the mean (layers " +
         part(time.forward + time.backward) + ", recomputation " + part(time.recompute) +
         ", transfers " + part(time.transfer) + ", ZeRO " + part(time.zero) + ")\n" +
         "            memory: stage " + std::to_string(score.fullest_stage + 1) + " fills " +
         percent(score.fullest_share) + " of its " + device_class +
         (score.fullest_share > 0.9 ? ", so memory limits the choices\n" : "; there is room\n");
}

std::string otherwise_text(const StrategyProblem& problem,
                           const ParallelPlan& best,
                           const std::string& pins,
                           const PlanWithPins& plan) {
  Table table({"if", "per batch", "instead"});
  for (const Choice& choice : choices_of(problem, best)) {
    if (has_key(pins, choice.key)) {
      continue;
    }
    for (const std::string& other : choice.others) {
      const std::string pin = choice.key + "=" + other;
      const StrategyAnswer answer = plan(pins.empty() ? pin : pins + "," + pin);
      if (answer.plans.empty()) {
        table.add_row({pin, "", "no plan fits"});
        continue;
      }
      const double loss = answer.plans[0].seconds_per_batch / best.seconds_per_batch - 1.0;
      table.add_row(
          {pin, (loss < 0.0 ? "" : "+") + percent(loss), plan_headline(problem, answer.plans[0])});
    }
  }
  return "choosing otherwise:\n" + table.text();
}

}  // namespace berth::launcher
