// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "megatron_arguments.hpp"

#include <algorithm>

#include "plan_stamp.hpp"

namespace berth::datasets {
namespace {

std::string layout_of(const StrategyProblem& problem, const ParallelPlan& plan) {
  std::string layout;
  for (const PlanStage& stage : plan.stages) {
    layout += layout.empty() ? "" : "|";
    std::uint32_t layers = stage.num_layers;
    const bool first = stage.first_layer == 0;
    const bool last = stage.first_layer + stage.num_layers == problem.layers.size();
    layers -= (first ? 1U : 0U) + (last ? 1U : 0U);
    layout += first ? "E" : "";
    layout += layers == 0 ? "" : layers == 1 ? "t" : "t*" + std::to_string(layers);
    layout += last ? "L" : "";
  }
  return layout;
}

}  // namespace

std::string megatron_arguments(const StrategyProblem& problem, const ParallelPlan& plan) {
  require_one_configuration(problem, plan, "Megatron-LM arguments");
  std::string text;
  const auto add = [&text](const std::string& argument) {
    text += (text.empty() ? "" : " ") + argument;
  };
  add("--tensor-model-parallel-size " + std::to_string(plan.tensor));
  add("--pipeline-model-parallel-size " + std::to_string(plan.depth()));
  if (plan.context > 1) {
    add("--context-parallel-size " + std::to_string(plan.context));
  }
  if (plan.expert > 1) {
    add("--expert-model-parallel-size " + std::to_string(plan.expert));
  }
  if (plan.sequence_parallel) {
    add("--sequence-parallel");
  }
  add("--micro-batch-size " + std::to_string(plan.micro_batch));
  add("--global-batch-size " + std::to_string(problem.global_batch));
  if (plan.zero_stage == 1) {
    add("--use-distributed-optimizer");
  } else if (plan.zero_stage > 1) {
    add("--use-distributed-optimizer --use-megatron-fsdp --data-parallel-sharding-strategy");
    add(plan.zero_stage == 2 ? "optim_grads" : "optim_grads_params");
  }
  Recompute strongest = Recompute::kNone;
  bool same = true;
  for (const PlanStage& stage : plan.stages) {
    strongest = std::max(strongest, stage.recompute);
    same = same && stage.recompute == plan.stages.front().recompute;
  }
  if (strongest == Recompute::kFull) {
    add("--recompute-granularity full --recompute-method uniform --recompute-num-layers 1");
  } else if (strongest == Recompute::kSelective) {
    add("--recompute-granularity selective");
  }
  if (plan.stages.size() > 1) {
    add("--pipeline-model-parallel-layout '" + layout_of(problem, plan) + "'");
  }
  return "# " + plan_stamp(problem, plan) + "\n" +
         (same ? ""
               : "# stages recompute differently in the plan; these arguments recompute all\n") +
         text;
}

}  // namespace berth::datasets
