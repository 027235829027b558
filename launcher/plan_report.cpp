// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "berth/units.hpp"

#include "table.hpp"

namespace berth::launcher {
namespace {

std::string seconds(double value) {
  return format(Seconds{value});
}

std::string bytes(double value) {
  return format(Bytes{value});
}

std::string layers_of(const StrategyProblem& problem, const PlanStage& stage) {
  const std::string& first = problem.layers[stage.first_layer];
  const std::string& last = problem.layers[stage.first_layer + stage.num_layers - 1];
  return first == last ? first : first + " .. " + last;
}

const char* recompute_name(Recompute recompute) {
  constexpr std::array<const char*, kRecomputeChoices> kNames = {"none", "selective", "full"};
  return kNames[static_cast<std::size_t>(recompute)];
}

// The smallest memory among the devices of a stage, over all replicas.
double memory_of(const StrategyProblem& problem, const ParallelPlan& plan, std::size_t q) {
  double least = INFINITY;
  for (const std::vector<std::uint32_t>& block : plan.stages[q].blocks) {
    for (const std::uint32_t device : block) {
      least = std::min(least, problem.classes[problem.class_of(device)].memory_bytes);
    }
  }
  return least;
}

}  // namespace

std::string plan_headline(const StrategyProblem& problem, const ParallelPlan& plan) {
  std::string line = "stages " + std::to_string(plan.stages.size());
  if (plan.chunks > 1) {
    line += " interleaved on " + std::to_string(plan.depth());
  }
  if (plan.is_uniform()) {
    line += ", data " + std::to_string(plan.data) + ", tensor " + std::to_string(plan.tensor);
  } else {  // data x tensor of each stage
    line += " of unequal degrees";
    for (std::size_t q = 0; q < plan.stages.size(); ++q) {
      const PlanStage& stage = plan.stages[q];
      line += (q == 0 ? " " : ", ") + std::to_string(stage.replicas()) + " x " +
              std::to_string(problem.configurations[stage.configuration].tensor);
    }
  }
  if (plan.sequence_parallel) {
    line += " with sequence parallelism";
  }
  if (plan.context > 1) {
    line += ", context " + std::to_string(plan.context);
  }
  if (plan.expert > 1) {
    line += ", expert " + std::to_string(plan.expert);
  }
  if (plan.zero_stage > 0) {
    line += ", ZeRO-" + std::to_string(plan.zero_stage);
  }
  if (plan.packing == Packing::kDataInner && plan.depth() > 1 && plan.data > 1) {
    line += ", data-inner";
  }
  for (std::size_t k = 0; k < plan.class_order.size(); ++k) {
    line += (k == 0 ? ", last stages on " : ", then ") + problem.classes[plan.class_order[k]].name;
  }
  return line + ", micro-batch " + std::to_string(plan.micro_batch) + " x " +
         std::to_string(plan.micro_batches) + ", " + std::to_string(plan.devices_used()) + " of " +
         std::to_string(problem.network.num_devices()) +
         " devices: " + significant(plan.seconds_per_batch, 6) + " s per batch";
}

std::string plan_table(const StrategyProblem& problem, const ParallelPlan& plan) {
  Table table({"stage",
               "layers",
               "count",
               "devices",
               "recompute",
               "forward",
               "backward",
               "again",
               "transfer",
               "load",
               "weights+grads",
               "optimizer",
               "activations",
               "memory",
               "of"});
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    const PlanStage& stage = plan.stages[q];
    table.add_row({std::to_string(q + 1),
                   layers_of(problem, stage),
                   std::to_string(stage.num_layers),
                   std::to_string(stage.replicas()) + " x " + std::to_string(stage.devices),
                   recompute_name(stage.recompute),
                   seconds(stage.time.forward),
                   seconds(stage.time.backward),
                   seconds(stage.time.recompute),
                   seconds(stage.time.transfer + stage.time.zero),
                   seconds(stage.time.load()),
                   bytes(stage.memory.weights + stage.memory.gradients),
                   bytes(stage.memory.optimizer),
                   bytes(stage.memory.stash + stage.memory.work),
                   bytes(stage.memory.total()),
                   bytes(memory_of(problem, plan, q))});
  }
  return table.text();
}

double price_per_hour(const StrategyProblem& problem, const ParallelPlan& plan) {
  double price = 0.0;
  // The chunks of one block are one block.
  for (std::size_t q = 0; q < plan.depth(); ++q) {
    for (const std::vector<std::uint32_t>& block : plan.stages[q].blocks) {
      for (const std::uint32_t device : block) {
        const double own = problem.classes[problem.class_of(device)].price_per_hour;
        if (own == 0.0) {
          return 0.0;
        }
        price += own;
      }
    }
  }
  return price;
}

void refuse_infeasible(const StrategyAnswer& answer) {
  std::string lines;
  for (const std::string& reason : answer.infeasible) {
    lines += (lines.empty() ? "" : "; ") + reason;
  }
  throw SolverError("infeasible: " + lines);
}

}  // namespace berth::launcher
