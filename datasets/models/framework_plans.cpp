// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "framework_plans.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "plan_stamp.hpp"

namespace berth::datasets {
namespace {

Recompute strongest_recompute(const ParallelPlan& plan) {
  Recompute strongest = Recompute::kNone;
  for (const PlanStage& stage : plan.stages) {
    strongest = std::max(strongest, stage.recompute);
  }
  return strongest;
}

std::string joined(const std::vector<std::string>& pieces, const char* separator) {
  std::string all;
  for (const std::string& piece : pieces) {
    all += (all.empty() ? "" : separator) + piece;
  }
  return all;
}

}  // namespace

std::string torchtitan_fields(const StrategyProblem& problem,
                              const ParallelPlan& plan,
                              std::uint32_t sequence) {
  require_one_configuration(problem, plan, "torchtitan fields");
  std::string text = "# " + plan_stamp(problem, plan) + "\n[parallelism]\n";
  const auto field = [&text](const std::string& key, const std::string& value) {
    text += key + " = " + value;
    text += '\n';
  };
  // Expert ranks are data ranks in torchtitan.
  const std::size_t copies = std::size_t{plan.data} * plan.expert;
  field("data_parallel_replicate_degree", std::to_string(plan.zero_stage == 0 ? copies : 1));
  field("data_parallel_shard_degree", std::to_string(plan.zero_stage == 0 ? 1 : copies));
  field("fsdp_reshard_after_forward", plan.zero_stage == 3 ? "\"always\"" : "\"never\"");
  field("tensor_parallel_degree", std::to_string(plan.tensor));
  field("context_parallel_degree", std::to_string(plan.context));
  field("expert_parallel_degree", std::to_string(plan.expert));
  field("pipeline_parallel_degree", std::to_string(plan.depth()));
  if (plan.stages.size() > 1) {
    field("pipeline_parallel_schedule", plan.chunks > 1 ? "\"Interleaved1F1B\"" : "\"1F1B\"");
    field("pipeline_parallel_microbatch_size", std::to_string(plan.micro_batch));
    std::vector<std::string> stages;
    for (const PlanStage& stage : plan.stages) {
      std::vector<std::string> modules;
      for (std::uint32_t v = stage.first_layer; v < stage.first_layer + stage.num_layers; ++v) {
        if (v == 0) {
          modules.emplace_back("\"tok_embeddings\"");
        } else if (v + 1 == problem.layers.size()) {
          modules.emplace_back("\"norm\", \"output\"");
        } else {
          modules.push_back("\"layers." + std::to_string(v - 1) + "\"");
        }
      }
      stages.push_back("[" + joined(modules, ", ") + "]");
    }
    field("module_fqns_per_model_part", "[" + joined(stages, ", ") + "]");
  }
  text += "\n[training]\n";
  // A pipeline splits the local batch; without one, local batches are accumulated.
  field("local_batch_size",
        std::to_string(plan.micro_batch * (plan.stages.size() > 1 ? plan.micro_batches : 1)));
  field("global_batch_size", std::to_string(problem.global_batch));
  if (sequence > 0) {
    field("seq_len", std::to_string(sequence));
  }
  text += "\n[activation_checkpoint]\n";
  const Recompute recompute = strongest_recompute(plan);
  field("mode",
        recompute == Recompute::kFull        ? "\"full\""
        : recompute == Recompute::kSelective ? "\"selective\""
                                             : "\"none\"");
  return text;
}

std::string galvatron_json(const StrategyProblem& problem, const ParallelPlan& plan) {
  require_one_configuration(problem, plan, "Galvatron strategies");
  const std::size_t layers = problem.layers.size() - 2;
  const auto repeated = [layers](const std::string& value) {
    return joined(std::vector<std::string>(layers, value), ",");
  };
  std::vector<std::string> checkpoint;
  std::vector<std::string> division;
  const std::vector<std::uint32_t> counts = transformer_layers(problem, plan);
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    division.push_back(std::to_string(counts[q]));
    checkpoint.insert(
        checkpoint.end(), counts[q], plan.stages[q].recompute == Recompute::kFull ? "1" : "0");
  }
  const nlohmann::ordered_json json = {
      {"pp_deg", plan.depth()},
      {"tp_sizes_enc", repeated(std::to_string(plan.tensor))},
      {"tp_consecutive_flags", repeated("1")},
      {"cp_sizes_enc", repeated(std::to_string(plan.context))},
      {"dp_types_enc", repeated(plan.zero_stage == 3 ? "1" : "0")},
      {"use_sp", repeated("0")},
      {"checkpoint", joined(checkpoint, ",")},
      {"global_bsz", problem.global_batch},
      {"chunks", plan.micro_batches},
      {"pp_division", joined(division, ",")},
      {"pipeline_type", "pipedream_flush"},
      {"default_dp_type",
       plan.zero_stage == 0   ? "ddp"
       : plan.zero_stage == 3 ? "zero3"
                              : "zero2"},
      {"vtp", plan.tensor},
      {"vsp", 0},
      {"embed_sdp", plan.zero_stage == 3 ? 1 : 0},
      {"sequence_parallel", plan.sequence_parallel},
      {"berth", plan_stamp(problem, plan) + " expert=" + std::to_string(plan.expert)}};
  return json.dump(1) + "\n";
}

}  // namespace berth::datasets
