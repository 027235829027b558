// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "piper_planner.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "berth/error.hpp"
#include "berth/partition_problem.hpp"

#include "contiguous_partitioner.hpp"
#include "flat_network.hpp"
#include "plan_builder.hpp"
#include "planner_options.hpp"

namespace berth::planners {
namespace {

// A way to run a stage: a configuration and a recomputation.
struct Way {
  std::uint32_t configuration = 0;
  Recompute recompute = Recompute::kNone;
};

// One group of configurations that a plan may mix: equal micro-batches.
struct Mix {
  PartitionProblem graph;
  std::vector<Way> ways;  // [widths of the graph]
};

double largest_work(const StrategyProblem& problem,
                    const StrategyConfiguration& c,
                    std::size_t recompute) {
  double most = 0.0;
  for (std::size_t v = 0; v < problem.layers.size(); ++v) {
    most = std::max(most, problem.cost(c, 0, v).work_bytes[recompute]);
  }
  return most;
}

PartitionVariant variant_of(const StrategyProblem& problem,
                            const StrategyConfiguration& c,
                            std::size_t recompute,
                            std::size_t layer) {
  const MemoryRules& rules = problem.memory;
  const LayerCost& cost = problem.cost(c, 0, layer);
  const double parameters = cost.dense_parameters + cost.expert_parameters;
  PartitionVariant variant;
  variant.name = "recompute " + std::to_string(recompute);
  variant.seconds =
      cost.forward_seconds + cost.backward_seconds + cost.recompute_seconds[recompute];
  variant.parameter_bytes = rules.gradient_bytes * parameters;
  variant.stash_bytes = cost.saved_bytes[recompute];
  variant.fixed_bytes =
      (rules.weight_bytes + rules.gradient_bytes + rules.optimizer_bytes) * parameters;
  return variant;
}

Mix mix_of(const StrategyProblem& problem, std::vector<std::uint32_t> configurations) {
  std::stable_sort(
      configurations.begin(), configurations.end(), [&](std::uint32_t a, std::uint32_t b) {
        return problem.configurations[a].block() < problem.configurations[b].block();
      });
  const StrategyConfiguration& first = problem.configurations[configurations.front()];
  const NetworkLevel link = flat_network(problem.network).level(0);
  Mix mix;
  mix.graph.model = problem.model;
  mix.graph.widths.clear();
  mix.graph.accelerators = static_cast<std::uint32_t>(problem.network.num_devices());
  mix.graph.micro_batches = first.micro_batches;
  mix.graph.data_parallel = true;
  mix.graph.gradient_seconds_per_byte = 0.5 / link.bandwidth_bytes_per_second;
  mix.graph.memory_bytes = INFINITY;
  for (const DeviceClass& device : problem.classes) {
    mix.graph.memory_bytes = std::min(mix.graph.memory_bytes, device.memory_bytes);
  }
  mix.graph.nodes.resize(problem.layers.size());
  double work = 0.0;
  for (const std::uint32_t index : configurations) {
    const StrategyConfiguration& c = problem.configurations[index];
    for (std::size_t r = 0; r < (problem.recompute_allowed ? kRecomputeChoices : 1); ++r) {
      mix.graph.widths.push_back(static_cast<std::uint32_t>(c.block()));
      mix.ways.push_back({index, static_cast<Recompute>(r)});
      work = std::max(work, largest_work(problem, c, r));
      for (std::size_t v = 0; v < problem.layers.size(); ++v) {
        mix.graph.nodes[v].variants.push_back({variant_of(problem, c, r, v)});
      }
    }
  }
  mix.graph.memory_bytes =
      std::max(0.0, mix.graph.memory_bytes - work - problem.memory.reserve_bytes);
  for (std::uint32_t v = 0; v < problem.layers.size(); ++v) {
    mix.graph.nodes[v].name = problem.layers[v];
    mix.graph.nodes[v].group = v;
    mix.graph.nodes[v].host_seconds = INFINITY;
  }
  for (const LayerEdge& edge : first.edges) {
    mix.graph.transfers.push_back(
        {edge.from,
         {edge.to},
         link.latency_seconds + edge.size_bytes / link.bandwidth_bytes_per_second});
  }
  return mix;
}

class PiperPlanner final : public StrategyPlanner {
 public:
  explicit PiperPlanner(const PlanRules& rules) : rules_(rules) {}

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& /*share*/) override {
    check_problem(problem);
    // Stages may differ in their block, not in their micro-batches.
    std::map<std::tuple<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> mixes;
    for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
      const StrategyConfiguration& c = problem.configurations[index];
      const bool power =
          (c.tensor & (c.tensor - 1)) == 0 && c.tensor <= problem.network.largest_unit(0);
      if (c.context == 1 && power && c.block() <= problem.network.num_devices()) {
        mixes[{c.micro_batch, c.micro_batches}].push_back(index);
      }
    }
    PlanBook book(problem, rules_, top_k);
    std::vector<std::string> reasons;
    for (const auto& [key, configurations] : mixes) {
      const Mix mix = mix_of(problem, configurations);
      const PartitionAnswer cut = partition_contiguous(mix.graph, 1e-4);
      if (cut.plans.empty()) {
        reasons.insert(reasons.end(), cut.infeasible.begin(), cut.infeasible.end());
        continue;
      }
      PlanChoice choice;
      for (const PartitionStage& stage : cut.plans[0].stages) {
        const Way& way = mix.ways[stage.width];
        choice.stages.push_back({static_cast<std::uint32_t>(stage.nodes.size()),
                                 way.configuration,
                                 stage.data,
                                 way.recompute});
      }
      book.enter(choice);
    }
    const bool none = book.empty();
    StrategyAnswer answer = std::move(book).answer("piper");
    if (none && !reasons.empty()) {
      answer.infeasible = reasons;
    }
    return answer;
  }

 private:
  PlanRules rules_;
};

}  // namespace

std::unique_ptr<StrategyPlanner> make_piper(const HostServices& host) {
  return std::make_unique<PiperPlanner>(rules_of(*host.config));
}

}  // namespace berth::planners
