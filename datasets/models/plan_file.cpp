// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_file.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

#include "berth/error.hpp"

#include "datasets/atomic_file.hpp"
#include "json_fields.hpp"

namespace berth::datasets {
namespace {

using nlohmann::ordered_json;

constexpr int kVersion = 2;
constexpr std::array<const char*, kRecomputeChoices> kRecompute = {"none", "selective", "full"};

std::string hex(std::uint64_t value) {
  char buffer[20];
  std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(value));
  return buffer;
}

ordered_json stage_json(const StrategyProblem& problem,
                        const PlanStage& stage,
                        const StageTime& time,
                        const StageMemory& memory) {
  const StrategyConfiguration& c = problem.configurations[stage.configuration];
  return {{"first_layer", stage.first_layer},
          {"num_layers", stage.num_layers},
          {"first_layer_name", problem.layers[stage.first_layer]},
          {"devices", stage.devices},
          {"replicas", stage.replicas()},
          {"tensor", c.tensor},
          {"context", c.context},
          {"expert", c.expert},
          {"sequence_parallel", c.sequence_parallel},
          {"recompute", kRecompute[static_cast<std::size_t>(stage.recompute)]},
          {"seconds",
           {{"forward", time.forward},
            {"backward", time.backward},
            {"recompute", time.recompute},
            {"transfer", time.transfer},
            {"zero", time.zero},
            {"sync", time.sync},
            {"step", time.step}}},
          {"bytes",
           {{"weights", memory.weights},
            {"gradients", memory.gradients},
            {"optimizer", memory.optimizer},
            {"stash", memory.stash},
            {"work", memory.work},
            {"reserve", memory.reserve}}},
          {"blocks", stage.blocks}};
}

void expect_hash(const JsonField& root, const char* key, std::uint64_t hash, const char* what) {
  const std::string found = root.at(key).text();
  if (found != hex(hash)) {
    throw InputError(root.at(key).place() + ": " + found + "; expected " + hex(hash) +
                     ": the plan is for another " + what + ", plan again");
  }
}

std::uint32_t count(const JsonField& root, const char* key, std::int64_t least = 1) {
  return static_cast<std::uint32_t>(root.at(key).integer(least, 100'000'000));
}

void expect_keys(const JsonField& field, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : field.object().json().items()) {
    if (std::ranges::find(known, key) == known.end()) {
      throw InputError(field.shown_place() + ": unknown key '" + key +
                       "'; expected a plan as written");
    }
  }
}

// A number that follows from others in the file: one that was changed alone would go unheeded.
void expect_same(const JsonField& root, const char* key, std::uint32_t value) {
  if (root.at(key).number() != value) {
    root.at(key).fail(std::to_string(value) + ", as the rest of the plan has it");
  }
}

void expect_name(const JsonField& root, const char* key, const std::string& name) {
  if (root.at(key).text() != name) {
    root.at(key).fail(name + ", as the rest of the plan has it");
  }
}

std::uint32_t find_configuration(const JsonField& stage,
                                 const StrategyProblem& problem,
                                 std::uint32_t micro_batch) {
  const std::uint32_t tensor = count(stage, "tensor");
  const std::uint32_t context = count(stage, "context");
  const std::uint32_t expert = count(stage, "expert");
  const bool sequence_parallel = stage.at("sequence_parallel").boolean();
  for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
    const StrategyConfiguration& c = problem.configurations[index];
    if (c.tensor == tensor && c.context == context && c.expert == expert &&
        c.sequence_parallel == sequence_parallel && c.micro_batch == micro_batch) {
      return index;
    }
  }
  throw InputError(stage.place() + ": its degrees are none that this model allows; plan again");
}

PlanStage read_stage(const JsonField& field,
                     const StrategyProblem& problem,
                     std::uint32_t micro_batch) {
  expect_keys(field,
              {"first_layer",
               "num_layers",
               "first_layer_name",
               "devices",
               "replicas",
               "tensor",
               "context",
               "expert",
               "sequence_parallel",
               "recompute",
               "seconds",
               "bytes",
               "blocks"});
  PlanStage stage;
  stage.first_layer = count(field, "first_layer", 0);
  stage.num_layers = count(field, "num_layers");
  stage.devices = count(field, "devices");
  const auto* const at =
      std::find(kRecompute.begin(), kRecompute.end(), field.at("recompute").text());
  if (at == kRecompute.end()) {
    field.at("recompute").fail("none, selective or full");
  }
  stage.recompute = static_cast<Recompute>(at - kRecompute.begin());
  stage.configuration = find_configuration(field, problem, micro_batch);
  const std::size_t block = problem.configurations[stage.configuration].block();
  if (stage.devices != block) {
    field.at("devices").fail(std::to_string(block) + ", one block");
  }
  const JsonField blocks = field.at("blocks").array();
  for (std::size_t r = 0; r < blocks.size(); ++r) {
    std::vector<std::uint32_t>& devices = stage.blocks.emplace_back();
    for (std::size_t k = 0; k < blocks.at(r).array().size(); ++k) {
      devices.push_back(static_cast<std::uint32_t>(blocks.at(r).at(k).integer(0, 1'000'000)));
    }
  }
  expect_same(field, "replicas", static_cast<std::uint32_t>(stage.replicas()));
  if (stage.first_layer < problem.layers.size()) {
    expect_name(field, "first_layer_name", problem.layers[stage.first_layer]);
  }
  return stage;
}

}  // namespace

ParallelPlan with_score(const ParallelPlan& plan, const PlanScore& score) {
  ParallelPlan copy = plan;
  for (std::size_t q = 0; q < copy.stages.size(); ++q) {
    copy.stages[q].time = score.times[q];
    copy.stages[q].memory = score.memories[q];
  }
  copy.seconds_per_batch = score.seconds_per_batch;
  copy.pipeline_seconds = score.pipeline_seconds;
  copy.sync_seconds = score.sync_seconds;
  return copy;
}

namespace {

ordered_json json_of(const StrategyProblem& problem,
                     const ParallelPlan& plan,
                     const PlanScore& score) {
  ordered_json json = {
      {"format", "berth-plan"},
      {"version", kVersion},
      {"model", problem.model},
      {"model_hash", hex(model_hash(problem))},
      {"cluster", problem.cluster},
      {"cluster_hash", hex(cluster_hash(problem))},
      {"global_batch", problem.global_batch},
      {"tensor", plan.tensor},
      {"context", plan.context},
      {"expert", plan.expert},
      {"sequence_parallel", plan.sequence_parallel},
      {"micro_batch", plan.micro_batch},
      {"data", plan.data},
      {"zero_stage", plan.zero_stage},
      {"chunks", plan.chunks},
      {"packing", plan.packing == Packing::kDataInner ? "data-inner" : "pipeline-inner"},
      {"seconds_per_batch", score.seconds_per_batch},
      {"simulated_seconds_per_batch", score.simulated_seconds},
      {"fullest_stage", score.fullest_stage},
      {"fullest_share", score.fullest_share},
      {"class_order", ordered_json::array()},
      {"stages", ordered_json::array()}};
  for (const std::uint32_t device_class : plan.class_order) {
    json["class_order"].push_back(problem.classes[device_class].name);
  }
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    json["stages"].push_back(
        stage_json(problem, plan.stages[q], score.times[q], score.memories[q]));
  }
  return json;
}

}  // namespace

std::string plan_line(const StrategyProblem& problem,
                      const ParallelPlan& plan,
                      const PlanScore& score) {
  return json_of(problem, plan, score).dump();
}

void write_plan_file(const std::filesystem::path& file,
                     const StrategyProblem& problem,
                     const ParallelPlan& plan,
                     const PlanScore& score) {
  write_atomically(file, json_of(problem, plan, score).dump(1) + "\n");
}

ParallelPlan read_plan_file(const std::filesystem::path& file, const StrategyProblem& problem) {
  const nlohmann::json json = parse_json_file(file);
  const JsonField root(json, file.string() + ": ");
  if (root.at("format").text() != "berth-plan") {
    root.at("format").fail("berth-plan");
  }
  static_cast<void>(root.at("version").integer(kVersion, kVersion));
  expect_hash(root, "cluster_hash", cluster_hash(problem), "cluster");
  expect_hash(root, "model_hash", model_hash(problem), "model or training setup");
  expect_keys(root,
              {"format",
               "version",
               "model",
               "model_hash",
               "cluster",
               "cluster_hash",
               "global_batch",
               "tensor",
               "context",
               "expert",
               "sequence_parallel",
               "micro_batch",
               "data",
               "zero_stage",
               "chunks",
               "packing",
               "seconds_per_batch",
               "simulated_seconds_per_batch",
               "fullest_stage",
               "fullest_share",
               "class_order",
               "stages"});
  expect_same(root, "global_batch", problem.global_batch);
  expect_name(root, "model", problem.model);
  expect_name(root, "cluster", problem.cluster);
  ParallelPlan plan;
  plan.micro_batch = count(root, "micro_batch");
  plan.data = count(root, "data");
  plan.chunks = count(root, "chunks");
  plan.zero_stage = static_cast<std::uint32_t>(root.at("zero_stage").integer(0, 3));
  const std::string packing = root.at("packing").text();
  if (packing != "pipeline-inner" && packing != "data-inner") {
    root.at("packing").fail("pipeline-inner or data-inner");
  }
  plan.packing = packing == "data-inner" ? Packing::kDataInner : Packing::kPipelineInner;
  const JsonField order = root.at("class_order").array();
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto known = std::ranges::find(problem.classes, order.at(k).text(), &DeviceClass::name);
    if (known == problem.classes.end()) {
      order.at(k).fail("a device class of the cluster");
    }
    plan.class_order.push_back(static_cast<std::uint32_t>(known - problem.classes.begin()));
  }
  const JsonField stages = root.at("stages").array();
  std::size_t replicas = plan.data;
  for (std::size_t q = 0; q < stages.size(); ++q) {
    plan.stages.push_back(read_stage(stages.at(q), problem, plan.micro_batch));
    replicas = std::min(replicas, std::max<std::size_t>(1, plan.stages.back().replicas()));
  }
  if (plan.stages.empty()) {
    stages.fail("at least one stage");
  }
  plan.configuration = plan.stages.front().configuration;
  const StrategyConfiguration& c = problem.configurations[plan.configuration];
  expect_same(root, "tensor", c.tensor);
  expect_same(root, "context", c.context);
  expect_same(root, "expert", c.expert);
  expect_same(root, "data", static_cast<std::uint32_t>(plan.stages.front().replicas()));
  if (root.at("sequence_parallel").boolean() != c.sequence_parallel) {
    root.at("sequence_parallel")
        .fail(std::string(c.sequence_parallel ? "true" : "false") +
              ", as the rest of the plan has it");
  }
  plan.tensor = c.tensor;
  plan.context = c.context;
  plan.expert = c.expert;
  plan.sequence_parallel = c.sequence_parallel;
  plan.micro_batches = static_cast<std::uint32_t>((c.micro_batches + replicas - 1) / replicas);
  try {
    check_plan(problem, plan);
  } catch (const InputError& error) {
    rethrow_with_context(error, file.string());
  }
  return plan;
}

}  // namespace berth::datasets
