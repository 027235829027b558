// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <functional>

#include "berth/error.hpp"

#include "datasets/source_text.hpp"
#include "framework_plans.hpp"
#include "framework_text.hpp"
#include "json_fields.hpp"
#include "plan_file.hpp"
#include "plan_stamp.hpp"

namespace berth::datasets {
namespace {

using Count = std::uint32_t;

// A plan as a framework states it; absent numbers are what the framework defaults to.
struct Stated {
  Count tensor = 1, context = 1, expert = 1, depth = 1, zero = 0;
  Count micro_batch = 0;    // 0: follows from the batch and chunks
  Count micro_batches = 0;  // of one replica; 0: not stated
  Count copies = 0;         // of every dense parameter; 0: not stated
  bool sequence_parallel = false;
  Recompute recompute = Recompute::kNone;
  std::vector<Count> layers;  // transformer layers of each stage; empty: even
  std::optional<PlanStamp> stamp;
};

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
  throw InputError(place + ": " + what);
}

Count number_of(const std::string& place, const std::string& key, std::string_view word) {
  Count value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value > 1'000'000'000) {
    refuse(place, key + ": " + shown(word) + "; expected a whole number");
  }
  return value;
}

// "E|t*4|t*4L" in transformer layers; E and L must be in the first and last stage.
std::vector<Count> layout_layers(const std::string& place, std::string_view layout) {
  std::vector<Count> stages(1, 0);
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const char letter = layout[i];
    if (letter == '|') {
      stages.push_back(0);
    } else if (letter == 't') {
      Count times = 1;
      if (i + 1 < layout.size() && layout[i + 1] == '*') {
        std::size_t end = i + 2;
        while (end < layout.size() && layout[end] >= '0' && layout[end] <= '9') {
          ++end;
        }
        times = number_of(place, "pipeline layout", layout.substr(i + 2, end - i - 2));
        i = end - 1;
      }
      stages.back() += times;
    } else if ((letter == 'E' && i != 0) || (letter == 'L' && i + 1 != layout.size()) ||
               (letter != 'E' && letter != 'L')) {
      refuse(place,
             "pipeline layout " + shown(layout) +
                 "; expected stages of t, t*n between bars, E first and L last");
    }
  }
  return stages;
}

// The batch of a framework's file, where it states one.
void expect_batch(const std::string& place,
                  const std::string& key,
                  const Fields& fields,
                  const StrategyProblem& problem) {
  const auto at = fields.find(key);
  if (at != fields.end() && number_of(place, key, at->second) != problem.global_batch) {
    refuse(place,
           key + " " + at->second + "; expected " + std::to_string(problem.global_batch) +
               ", see --global-batch");
  }
}

Stated read_megatron(const SourceText& source, const StrategyProblem& problem) {
  const Fields words = argument_fields(source);
  expect_batch(source.place, "--global-batch-size", words, problem);
  const auto number = [&](const char* key, Count fallback) {
    const auto at = words.find(key);
    return at == words.end() ? fallback : number_of(source.place, key, at->second);
  };
  Stated plan;
  plan.tensor = number("--tensor-model-parallel-size", 1);
  plan.depth = number("--pipeline-model-parallel-size", 1);
  plan.context = number("--context-parallel-size", 1);
  plan.expert = number("--expert-model-parallel-size", 1);
  plan.micro_batch = number("--micro-batch-size", 1);
  plan.sequence_parallel = words.contains("--sequence-parallel");
  plan.zero = words.contains("--use-distributed-optimizer") ? 1 : 0;
  if (const auto at = words.find("--data-parallel-sharding-strategy"); at != words.end()) {
    plan.zero = at->second == "optim_grads_params" ? 3
                : at->second == "optim_grads"      ? 2
                                                   : plan.zero;
  }
  if (const auto at = words.find("--recompute-granularity"); at != words.end()) {
    plan.recompute = at->second == "full"        ? Recompute::kFull
                     : at->second == "selective" ? Recompute::kSelective
                                                 : Recompute::kNone;
  }
  if (const auto at = words.find("--pipeline-model-parallel-layout"); at != words.end()) {
    plan.layers = layout_layers(source.place, at->second);
  }
  return plan;
}

std::vector<Count> numbers_of(const JsonField& field) {
  const std::string text = field.text();
  std::vector<Count> numbers;
  for (const std::string_view word : split(text, ", ")) {
    numbers.push_back(number_of(field.place(), "list", word));
  }
  return numbers;
}

// A list of Galvatron's has an entry a transformer layer.
Count same_everywhere(const JsonField& field, const StrategyProblem& problem) {
  const std::vector<Count> numbers = numbers_of(field);
  if (numbers.size() + 2 != problem.layers.size()) {
    field.fail(std::to_string(problem.layers.size() - 2) + " numbers, one a layer");
  }
  if (numbers.empty() ||
      std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) != numbers.end()) {
    field.fail("one number for all layers");
  }
  return numbers.front();
}

Stated read_galvatron(const JsonField& root, const StrategyProblem& problem) {
  Stated plan;
  const auto number = [](const JsonField& field) {
    return static_cast<Count>(field.integer(0, 1'000'000'000));
  };
  plan.depth = number(root.at("pp_deg"));
  plan.tensor = same_everywhere(root.at("tp_sizes_enc"), problem);
  plan.context = root.has("cp_sizes_enc") ? same_everywhere(root.at("cp_sizes_enc"), problem) : 1;
  plan.layers = numbers_of(root.at("pp_division"));
  plan.micro_batches = number(root.at("chunks"));
  if (root.at("global_bsz").integer(1, 1'000'000'000) != problem.global_batch) {
    root.at("global_bsz").fail(std::to_string(problem.global_batch) + ", see --global-batch");
  }
  const std::string type = root.at("default_dp_type").text();
  plan.zero = same_everywhere(root.at("dp_types_enc"), problem) == 1 || type == "zero3" ? 3
              : type == "zero2"                                                         ? 2
                                                                                        : 0;
  plan.recompute =
      numbers_of(root.at("checkpoint")).back() == 1 ? Recompute::kFull : Recompute::kNone;
  plan.sequence_parallel = root.has("sequence_parallel") && root.at("sequence_parallel").boolean();
  if (root.has("berth")) {
    const std::string stamp = root.at("berth").text();
    const std::size_t at = stamp.rfind(" expert=");
    if (at != std::string::npos) {
      plan.expert = number_of(root.at("berth").place(), "expert", stamp.substr(at + 8));
    }
  }
  return plan;
}

// The keys of three sections of a TOML file; others are the framework's own business.
Stated read_torchtitan(const SourceText& source, const StrategyProblem& problem) {
  const Fields values = toml_fields(source);
  expect_batch(source.place, "training.global_batch_size", values, problem);
  const auto number = [&](const char* key, Count fallback) {
    const auto at = values.find(key);
    return at == values.end() ? fallback : number_of(source.place, key, at->second);
  };
  const auto word = [&](const char* key) {
    const auto at = values.find(key);
    return at == values.end() ? std::string() : at->second;
  };
  // -1 takes the devices that are left; 0 here.
  const auto degree = [&](const char* key) { return word(key) == "-1" ? 0 : number(key, 1); };
  Stated plan;
  plan.tensor = number("parallelism.tensor_parallel_degree", 1);
  plan.context = number("parallelism.context_parallel_degree", 1);
  plan.expert = number("parallelism.expert_parallel_degree", 1);
  plan.depth = number("parallelism.pipeline_parallel_degree", 1);
  plan.micro_batch = plan.depth > 1 ? number("parallelism.pipeline_parallel_microbatch_size", 1)
                                    : number("training.local_batch_size", 1);
  const Count shard = degree("parallelism.data_parallel_shard_degree");
  const Count replicate = degree("parallelism.data_parallel_replicate_degree");
  plan.copies = shard == 0 ? 0 : shard * std::max(1U, replicate);
  const bool shards = shard != 1;
  const bool reshards = word("parallelism.fsdp_reshard_after_forward") != "\"never\"";
  plan.zero = !shards ? 0 : reshards ? 3 : 2;
  // torchtitan's tensor parallelism shards the sequence too.
  plan.sequence_parallel = plan.tensor > 1;
  const std::string mode = word("activation_checkpoint.mode");
  plan.recompute = mode == "\"full\""        ? Recompute::kFull
                   : mode == "\"selective\"" ? Recompute::kSelective
                                             : Recompute::kNone;
  const std::string modules = word("parallelism.module_fqns_per_model_part");
  for (std::size_t at = 1; at < modules.size() && !modules.empty();) {
    const std::size_t open = modules.find('[', at);
    const std::size_t close = modules.find(']', open);
    if (open == std::string::npos || close == std::string::npos) {
      break;
    }
    Count layers = 0;
    for (const std::string_view module :
         split(std::string_view(modules).substr(open, close - open), "[\", ")) {
      layers += module.starts_with("layers.") ? 1U : 0U;
    }
    plan.layers.push_back(layers);
    at = close + 1;
  }
  return plan;
}

std::vector<Count> even_layers(Count layers, Count stages) {
  std::vector<Count> counts(stages, layers / std::max(1U, stages));
  for (Count q = 0; q < layers % std::max(1U, stages); ++q) {
    ++counts[q];
  }
  return counts;
}

Count find_configuration(const std::string& place,
                         const StrategyProblem& problem,
                         const Stated& stated,
                         Count micro_batch) {
  bool other_sp = false;
  for (Count index = 0; index < problem.configurations.size(); ++index) {
    const StrategyConfiguration& c = problem.configurations[index];
    if (c.tensor == stated.tensor && c.context == stated.context && c.expert == stated.expert &&
        c.micro_batch == micro_batch) {
      if (c.sequence_parallel == stated.sequence_parallel) {
        return index;
      }
      other_sp = true;
    }
  }
  refuse(place,
         "tensor " + std::to_string(stated.tensor) + ", context " + std::to_string(stated.context) +
             ", expert " + std::to_string(stated.expert) + ", micro-batch " +
             std::to_string(micro_batch) +
             (other_sp ? (stated.sequence_parallel ? " with" : " without") +
                             std::string(" sequence parallelism")
                       : "") +
             "; expected degrees that divide this model, within --max-tensor, --max-context and "
             "--max-micro-batch");
}

ParallelPlan build(const std::string& place, const StrategyProblem& problem, Stated stated) {
  const std::size_t devices = problem.network.num_devices();
  const std::size_t block = std::size_t{stated.tensor} * stated.context * stated.expert;
  const PlanStamp* const stamp = stated.stamp ? &*stated.stamp : nullptr;
  if (block == 0 || stated.depth == 0 || block * stated.depth > devices) {
    refuse(place,
           "a replica of " + std::to_string(block * stated.depth) + " devices; expected 1 to " +
               std::to_string(devices) + ", the cluster's");
  }
  if (stamp != nullptr) {
    stated.sequence_parallel = stamp->sequence_parallel;
  }
  ParallelPlan plan;
  plan.data = stamp != nullptr ? stamp->data : static_cast<Count>(devices / (block * stated.depth));
  plan.zero_stage = stamp != nullptr ? stamp->zero : stated.zero;
  plan.packing = stamp != nullptr ? stamp->packing : Packing::kDataInner;
  if (stated.copies != 0 && stated.copies != plan.data * stated.expert) {
    refuse(place,
           "data-parallel degrees of " + std::to_string(stated.copies) + " together; expected " +
               std::to_string(plan.data * stated.expert) + ": " + std::to_string(plan.data) +
               " replicas of " + std::to_string(stated.expert) + " expert ranks");
  }
  if (stated.micro_batch == 0) {
    const std::size_t waves = std::size_t{plan.data} * stated.expert * stated.micro_batches;
    if (waves == 0 || problem.global_batch % waves != 0) {
      refuse(place,
             "a batch of " + std::to_string(problem.global_batch) + " in " + std::to_string(waves) +
                 " micro-batches; expected equal whole ones");
    }
    stated.micro_batch = static_cast<Count>(problem.global_batch / waves);
  }
  plan.configuration = find_configuration(place, problem, stated, stated.micro_batch);
  const StrategyConfiguration& c = problem.configurations[plan.configuration];
  plan.tensor = c.tensor;
  plan.context = c.context;
  plan.expert = c.expert;
  plan.sequence_parallel = c.sequence_parallel;
  plan.micro_batch = c.micro_batch;
  plan.micro_batches = (c.micro_batches + plan.data - 1) / plan.data;

  const auto transformer = static_cast<Count>(problem.layers.size() - 2);
  if (stated.layers.empty()) {
    stated.layers = even_layers(transformer, stated.depth);
  }
  Count sum = 0;
  for (const Count layers : stated.layers) {
    sum += layers;
  }
  if (sum != transformer || stated.layers.size() % stated.depth != 0) {
    refuse(place,
           std::to_string(sum) + " layers in " + std::to_string(stated.layers.size()) +
               " stages; expected the model's " + std::to_string(transformer) +
               " and a multiple of " + std::to_string(stated.depth) + " stages");
  }
  plan.chunks = static_cast<Count>(stated.layers.size() / stated.depth);
  BlockGrid grid{0, static_cast<std::int64_t>(block), static_cast<std::int64_t>(block * plan.data)};
  if (stamp != nullptr && stamp->grid) {
    grid = *stamp->grid;
  }
  Count next = 0;
  for (std::size_t q = 0; q < stated.layers.size(); ++q) {
    PlanStage stage;
    stage.first_layer = next;
    stage.num_layers =
        stated.layers[q] + (q == 0 ? 1U : 0U) + (q + 1 == stated.layers.size() ? 1U : 0U);
    stage.devices = static_cast<Count>(block);
    stage.configuration = plan.configuration;
    stage.recompute = stamp != nullptr && stamp->recompute.size() == stated.layers.size()
                          ? stamp->recompute[q]
                          : stated.recompute;
    next += stage.num_layers;
    for (Count r = 0; r < plan.data; ++r) {
      const std::int64_t first = grid.first + r * grid.per_replica +
                                 static_cast<std::int64_t>(q % stated.depth) * grid.per_stage;
      if (first < 0 ||
          first + static_cast<std::int64_t>(block) > static_cast<std::int64_t>(devices)) {
        refuse(place, "blocks beyond the cluster's " + std::to_string(devices) + " devices");
      }
      stage.blocks.push_back(consecutive_block(static_cast<std::size_t>(first), block));
    }
    plan.stages.push_back(std::move(stage));
  }
  try {
    check_plan(problem, plan);
  } catch (const InputError& error) {
    rethrow_with_context(error, place);
  }
  return plan;
}

}  // namespace

ParallelPlan read_any_plan(const std::filesystem::path& file, const StrategyProblem& problem) {
  const SourceText source = load_source(file);
  const std::string_view text = trimmed(source.text);
  const auto stamp = read_plan_stamp(source.text, source.place, problem);
  Stated stated;
  nlohmann::json json;
  const auto root = [&] { return JsonField(json, file.string() + ": "); };
  std::function<void(const SourceText&, const StrategyProblem&, const ParallelPlan&)> check;
  if (text.starts_with('{')) {
    json = parse_json_file(file);
    if (!root().has("pp_deg")) {
      return read_plan_file(file, problem);
    }
    stated = read_galvatron(root(), problem);
    check = [&](const SourceText&, const StrategyProblem&, const ParallelPlan& plan) {
      check_galvatron_fields(root(), problem, plan);
    };
  } else if (text.find("[parallelism]") != std::string_view::npos) {
    stated = read_torchtitan(source, problem);
    check = check_torchtitan_fields;
  } else if (text.find("--tensor-model-parallel-size") != std::string_view::npos ||
             text.find("--pipeline-model-parallel-size") != std::string_view::npos) {
    stated = read_megatron(source, problem);
    check = check_megatron_fields;
  } else {
    refuse(source.place,
           "no plan; expected Berth's or Galvatron's JSON, a [parallelism] section of torchtitan, "
           "or Megatron-LM arguments");
  }
  if (problem.layers.front() != "embedding" || problem.layers.back() != "head") {
    refuse(source.place, "a framework's plan for " + problem.model + "; expected a transformer");
  }
  stated.stamp = stamp;
  ParallelPlan plan = build(source.place, problem, std::move(stated));
  if (stamp) {
    check(source, problem, plan);
  }
  return plan;
}

}  // namespace berth::datasets
