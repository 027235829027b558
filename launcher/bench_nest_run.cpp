// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "bench_nest_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "berth/error.hpp"

#include "datasets/models/training_problem.hpp"
#include "table.hpp"

namespace berth::launcher {
namespace {

// Shipped counterparts of the artifact's models.
std::string shipped_model(std::string_view name) {
  return name == "bert"      ? "bert-large"
         : name == "llama2"  ? "llama2-7b"
         : name == "llama3"  ? "llama3-70b"
         : name == "mixtral" ? "mixtral-8x7b"
                             : "gpt3-175b";
}

std::string degrees_text(const ParallelPlan& plan) {
  if (!plan.is_uniform()) {
    std::string text = "per stage (data x tensor):";
    for (const PlanStage& stage : plan.stages) {
      text += " " + std::to_string(stage.replicas()) + "x" + std::to_string(stage.devices);
    }
    return text;
  }
  std::string text = "p" + std::to_string(plan.stages.size()) + " d" + std::to_string(plan.data) +
                     " t" + std::to_string(plan.tensor);
  text += plan.expert > 1 ? " e" + std::to_string(plan.expert) : "";
  text += plan.context > 1 ? " c" + std::to_string(plan.context) : "";
  text += plan.zero_stage > 0 ? " ZeRO-" + std::to_string(plan.zero_stage) : "";
  return text;
}

// The same degrees, cuts and recomputation free.
double best_cut_seconds(PluginHost& host,
                        const StrategyProblem& problem,
                        const ParallelPlan& plan) {
  if (!plan.is_uniform() || plan.chunks > 1) {
    return 0.0;
  }
  Config config = host.options(StrategyPlanner::kInterface, "manual");
  config.set("stages", std::to_string(plan.stages.size()));
  config.set("data", std::to_string(plan.data));
  config.set("tensor", std::to_string(plan.tensor));
  config.set("expert", std::to_string(plan.expert));
  config.set("context", std::to_string(plan.context));
  config.set("micro_batch", std::to_string(plan.micro_batch));
  config.set("sequence_parallel", plan.sequence_parallel ? "true" : "false");
  config.set("zero", std::to_string(plan.zero_stage));
  config.set("packing", plan.packing == Packing::kDataInner ? "data-inner" : "pipeline-inner");
  config.set("cuts", "best");
  const auto planner = host.strategy_planner("manual", config, 1);
  const StrategyAnswer answer = planner->plan_all(problem, 1);
  return answer.plans.empty()
             ? 0.0
             : score_plan(problem, answer.plans.front(), PlanRules{}).seconds_per_batch;
}

}  // namespace

std::string PlanCase::label() const {
  return model + " " + cluster + " m" + std::to_string(micro_batch);
}

std::vector<PlanCase> plan_cases(const std::string& experiment, bool quick) {
  std::vector<PlanCase> cases;
  if (experiment == "exhaustive") {
    cases.push_back({experiment, "gpt3-175b:2", "h100-node-4", 16, 1, nullptr});
    return cases;
  }
  for (const PublishedPoint& point : published_points()) {
    if (point.experiment != experiment ||
        (quick && point.devices > 64 && experiment == "figure5")) {
      continue;
    }
    const std::string cluster = (experiment == "readme" ? "h100-spineleaf-" : "tpuv4-fattree-") +
                                std::to_string(point.devices);
    cases.push_back(
        {experiment, shipped_model(point.model), cluster, 4096, point.micro_batch, &point});
  }
  if (quick && cases.size() > 2) {
    cases.resize(2);
  }
  return cases;
}

StrategyProblem case_problem(const PlanCase& plan_case) {
  std::string name = plan_case.model;
  std::uint32_t layers = 0;
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos) {  // "model:layers", a model cut short
    layers = static_cast<std::uint32_t>(std::stoul(name.substr(colon + 1)));
    name.resize(colon);
  }
  datasets::Model model = datasets::read_model(name);
  if (layers > 0) {
    model.transformer.layers = layers;
    model.name = plan_case.model;
  }
  datasets::TrainingSetup setup;
  setup.global_batch = plan_case.global_batch;
  setup.most_micro_batch = plan_case.micro_batch;
  StrategyProblem problem =
      datasets::make_training_problem(model, datasets::read_cluster(plan_case.cluster), setup);
  std::erase_if(problem.configurations, [&](const StrategyConfiguration& c) {
    return c.micro_batch != plan_case.micro_batch;
  });
  return problem;
}

PlannerResult run_planner(PluginHost& host,
                          const StrategyProblem& problem,
                          const PolicyRequest& request,
                          std::uint64_t seed) {
  Config config = policy_config(host, StrategyPlanner::kInterface, request);
  if (request.name == "manual" && config.integer("micro_batch") == 1) {
    config.set("micro_batch", std::to_string(problem.configurations.front().micro_batch));
  }
  const auto planner = host.strategy_planner(request.name, config, seed);
  const auto start = std::chrono::steady_clock::now();
  PlannerResult result;
  StrategyAnswer answer;
  try {
    answer = planner->plan_all(problem, 1);
  } catch (const InputError& error) {
    result.reason = error.what();  // beyond this planner
  }
  result.search_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (answer.plans.empty()) {
    for (const std::string& line : answer.infeasible) {
      result.reason += (result.reason.empty() ? "" : "; ") + line;
    }
    return result;
  }
  const ParallelPlan& plan = answer.plans.front();
  const PlanScore score = score_plan(problem, plan, PlanRules{});
  if (!score.fits) {
    result.reason = "the plan does not fit when scored";
    return result;
  }
  result.seconds = score.seconds_per_batch;
  result.degrees = degrees_text(plan);
  result.best_cuts = best_cut_seconds(host, problem, plan);
  return result;
}

}  // namespace berth::launcher
