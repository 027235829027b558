// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "artifact_mode.hpp"

#include <algorithm>
#include <string>

#include "berth/units.hpp"

#include "artifact_search.hpp"

namespace berth::nest {
namespace {

PlanStage stage_of(const StrategyProblem& problem,
                   const ArtifactStages& stages,
                   const ChainStage& found,
                   std::size_t position) {
  PlanStage stage;
  stage.first_layer = static_cast<std::uint32_t>(found.begin);
  stage.num_layers = static_cast<std::uint32_t>(found.end - found.begin);
  stage.devices = static_cast<std::uint32_t>(found.devices);
  stage.recompute = problem.recompute_allowed && position > 1 ? Recompute::kFull : Recompute::kNone;
  stage.time.forward = stages.forward(found.begin, found.end);
  stage.time.backward = stages.backward(found.begin, found.end);
  stage.time.recompute = stages.recompute(found.begin, found.end, position);
  stage.time.transfer = std::max(
      0.0, found.load_seconds - stage.time.forward - stage.time.backward - stage.time.recompute);
  const double activations = stages.activation_bytes(found.begin, found.end);
  const double whole = stages.fixed_bytes(found.begin, found.end) - activations;
  const double kept = whole > 0.0 ? (found.fixed_bytes - activations) / whole : 1.0;  // by ZeRO
  stage.memory.weights = kept * stages.weight_bytes(found.begin, found.end);
  stage.memory.gradients = stage.memory.weights;
  stage.memory.optimizer = kept * stages.optimizer_bytes(found.begin, found.end);
  stage.memory.stash =
      static_cast<double>(position - 1) * stages.stash_bytes(found.begin, found.end);
  stage.memory.work = activations;
  return stage;
}

ParallelPlan plan_of(const StrategyProblem& problem,
                     std::uint32_t index,
                     const ArtifactStages& stages,
                     const ChainPlan& found) {
  const StrategyConfiguration& configuration = problem.configurations[index];
  ParallelPlan plan;
  plan.configuration = index;
  plan.tensor = configuration.tensor;
  plan.context = configuration.context;
  plan.expert = configuration.expert;
  plan.sequence_parallel = configuration.sequence_parallel;
  plan.micro_batch = configuration.micro_batch;
  plan.data = static_cast<std::uint32_t>(found.data);
  plan.micro_batches = static_cast<std::uint32_t>(found.micro_batches);
  std::size_t per_replica = 0;
  for (std::size_t q = 0; q < found.stages.size(); ++q) {
    plan.stages.push_back(stage_of(problem, stages, found.stages[q], found.stages.size() - q));
    per_replica += found.stages[q].devices;
  }
  for (std::size_t r = 0; r < found.data; ++r) {
    std::size_t end = (r + 1) * per_replica;  // the last stage comes first
    for (PlanStage& stage : plan.stages) {
      end -= stage.devices;
      stage.configuration = index;
      stage.blocks.push_back(consecutive_block(end, stage.devices));
    }
  }
  plan.seconds_per_batch = found.seconds;
  plan.key = {found.seconds, found.seconds, 0, index};
  plan.sync_seconds = found.sync_seconds;
  plan.pipeline_seconds = found.seconds - found.sync_seconds;
  return plan;
}

// The layer that needs most on its own: if it fits nowhere, nothing does.
std::string heaviest_layer(const StrategyProblem& problem, const ArtifactStages& stages) {
  std::size_t worst = 0;
  for (std::size_t v = 1; v < stages.num_layers(); ++v) {
    if (stages.fixed_bytes(v, v + 1) > stages.fixed_bytes(worst, worst + 1)) {
      worst = v;
    }
  }
  return "layer " + problem.layers[worst] + " alone needs " +
         format(Bytes{stages.fixed_bytes(worst, worst + 1)}) + " of " +
         format(Bytes{problem.classes.front().memory_bytes}) + " (weights and gradients " +
         format(Bytes{2.0 * stages.weight_bytes(worst, worst + 1)}) + ", optimizer " +
         format(Bytes{stages.optimizer_bytes(worst, worst + 1)}) + ", activations " +
         format(Bytes{stages.activation_bytes(worst, worst + 1)}) + ")";
}

std::string whole_model(const StrategyProblem& problem,
                        const StrategyConfiguration& configuration,
                        const ArtifactStages& stages) {
  const std::size_t blocks = problem.network.num_devices() / configuration.block();
  return "the least need of all stages together is " +
         format(Bytes{stages.fixed_bytes(0, stages.num_layers())}) + ", and " +
         std::to_string(blocks) + " blocks of " + std::to_string(configuration.block()) +
         " devices hold " +
         format(Bytes{static_cast<double>(blocks) * problem.classes.front().memory_bytes});
}

std::string why_infeasible(const StrategyProblem& problem,
                           const StrategyConfiguration& configuration,
                           const ArtifactStages& stages) {
  return problem.model + ", " + std::to_string(problem.network.num_devices()) +
         " devices, tensor width " + std::to_string(configuration.tensor) + ": " +
         heaviest_layer(problem, stages) + "; " + whole_model(problem, configuration, stages);
}

}  // namespace

StrategyAnswer plan_as_artifact(const StrategyProblem& problem,
                                const ArtifactOptions& options,
                                std::uint32_t top_k) {
  const bool as_artifact = options.update == ArtifactOptions::Update::kArtifact;
  StrategyAnswer answer;
  bool zero = true;
  for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
    const StrategyConfiguration& configuration = problem.configurations[index];
    const ArtifactStages stages(problem, configuration, options);
    ++answer.candidates;
    const ZeroSwitch decision = zero_switch(problem, configuration, stages);
    zero = zero && decision != ZeroSwitch::kOff;  // once off, it stays off
    std::optional<ChainPlan> found;
    if (decision != ZeroSwitch::kHopeless) {
      found = as_artifact ? search_artifact_rule(problem, configuration, stages, zero)
                          : search_exact(problem, configuration, stages, options);
    }
    if (!found) {
      answer.infeasible.push_back(why_infeasible(problem, configuration, stages));
      if (as_artifact) {
        answer.plans.clear();
        return answer;
      }
      continue;
    }
    ++answer.solved;
    answer.plans.push_back(plan_of(problem, index, stages, *found));
  }
  std::stable_sort(
      answer.plans.begin(), answer.plans.end(), [](const ParallelPlan& a, const ParallelPlan& b) {
        return a.seconds_per_batch < b.seconds_per_batch;
      });
  if (answer.plans.size() > top_k) {
    answer.plans.resize(top_k);
  }
  if (!answer.plans.empty()) {
    answer.infeasible.clear();
  }
  return answer;
}

}  // namespace berth::nest
