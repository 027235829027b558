// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "contiguous_partitioner.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "cut_list.hpp"
#include "cut_search.hpp"

namespace berth::planners {
namespace {

constexpr std::size_t kManyAccelerators = 1'000'000;

double slowest(const CutSearch& search, const std::vector<ChosenStage>& stages) {
  double most = 0.0;
  for (const ChosenStage& stage : stages) {
    most = std::max(most, search.seconds(stage));
  }
  return most;
}

// What all nodes take at least, spread over all devices alike: no slowest stage takes less.
double least_seconds(const PartitionProblem& problem) {
  double sum = 0.0;
  for (const PartitionNode& node : problem.nodes) {
    double least = problem.hosts > 0 ? node.host_seconds : INFINITY;
    for (std::size_t w = 0; problem.accelerators > 0 && w < problem.widths.size(); ++w) {
      for (const PartitionVariant& variant : node.variants[w]) {
        least = std::min(least, variant.seconds * problem.widths[w]);
      }
    }
    sum += least;
  }
  return sum / (double{1} * problem.accelerators + problem.hosts) * (1.0 - 1e-9);
}

PartitionPlan plan_of(const PartitionProblem& problem,
                      const CutList& list,
                      const std::vector<ChosenStage>& stages) {
  PartitionPlan plan;
  std::vector<std::size_t> stage_of(problem.nodes.size(), stages.size());
  for (const ChosenStage& chosen : stages) {
    PartitionStage stage;
    stage.nodes = list.nodes_of(list.cuts[chosen.cut]);
    stage.on_host = list.options[chosen.option].on_host;
    stage.width = list.options[chosen.option].width;
    stage.data = chosen.data;
    for (const std::uint32_t v : stage.nodes) {
      stage_of[v] = plan.stages.size();
    }
    plan.stages.push_back(std::move(stage));
  }
  for (const std::vector<std::uint32_t>& nodes : list.items.free_nodes) {
    std::size_t earliest = stages.size() - 1;
    for (const PartitionTransfer& transfer : problem.transfers) {
      if (std::find(nodes.begin(), nodes.end(), transfer.from) != nodes.end()) {
        for (const std::uint32_t to : transfer.to) {
          earliest = std::min(earliest, stage_of[to]);
        }
      }
    }
    for (const std::uint32_t v : nodes) {
      stage_of[v] = earliest;
      plan.stages[earliest].nodes.push_back(v);
    }
  }
  for (std::size_t q = 0; q < stages.size(); ++q) {
    PartitionStage& stage = plan.stages[q];
    std::sort(stage.nodes.begin(), stage.nodes.end());
    if (list.items.free_nodes.empty() && !stage.on_host) {
      StageBorder border(problem);
      for (const std::uint32_t v : stage.nodes) {
        border.add(v);
      }
      stage.choices = stage_choices(
          problem, border, stage.nodes, stage.width, list.options[stages[q].option].index);
    } else if (!stage.on_host) {
      stage.choices.assign(stage.nodes.size(), 0);  // nodes are set free only without choices
    }
  }
  return plan;
}

std::string gibibytes(double bytes) {
  char text[40];
  std::snprintf(text, sizeof text, "%.2f GiB", bytes / (1024.0 * 1024.0 * 1024.0));
  return text;
}

std::vector<std::string> explain(const PartitionProblem& problem,
                                 const CutLimits& limits,
                                 CutSearch& search) {
  std::vector<std::string> lines;
  const auto shown =
      std::to_string(limits.accelerators) + " accelerators of " + gibibytes(limits.memory_bytes);
  CutLimits larger = limits;
  larger.memory_bytes = std::numeric_limits<double>::max();
  if (!search.find(INFINITY, larger)) {
    lines.push_back(problem.model + ": no contiguous stages can run on " + shown +
                    " whatever their memory: a node lacks a device that can run it");
    return lines;
  }
  // Least memory per device with as many devices as given, by bisection.
  double low = limits.memory_bytes;
  double high = std::max(1.0, low);
  for (larger.memory_bytes = high; !search.find(INFINITY, larger); larger.memory_bytes = high) {
    high *= 2.0;
  }
  while (high - low > 1e-4 * high) {
    larger.memory_bytes = 0.5 * (low + high);
    (search.find(INFINITY, larger) ? high : low) = larger.memory_bytes;
  }
  lines.push_back("memory: the fullest device of any contiguous plan on " + shown +
                  " needs at least " + gibibytes(high));
  larger = limits;
  std::size_t few = limits.accelerators;
  std::size_t many = std::max<std::size_t>(1, few);
  for (larger.accelerators = many; many < kManyAccelerators && !search.find(INFINITY, larger);
       larger.accelerators = many) {
    many *= 2;
  }
  if (many >= kManyAccelerators) {
    lines.push_back("devices: no number of accelerators of " + gibibytes(limits.memory_bytes) +
                    " is enough");
    return lines;
  }
  while (many - few > 1) {
    larger.accelerators = (few + many) / 2;
    (search.find(INFINITY, larger) ? many : few) = larger.accelerators;
  }
  lines.push_back("devices: with " + gibibytes(limits.memory_bytes) + " each it takes " +
                  std::to_string(many) + " accelerators");
  return lines;
}

class ContiguousPartitioner final : public GraphPartitioner {
 public:
  PartitionAnswer partition(const PartitionProblem& problem) override {
    return partition_contiguous(problem);
  }
};

}  // namespace

PartitionAnswer partition_contiguous(const PartitionProblem& problem, double tolerance) {
  check_partition_problem(problem);
  const CutList list = list_cuts(problem);
  CutSearch search(problem, list);
  const CutLimits limits{problem.accelerators, problem.hosts, problem.memory_bytes};
  PartitionAnswer answer;
  answer.examined = list.options.size();
  answer.notes.push_back(std::to_string(list.items.nodes.size()) + " items, " +
                         std::to_string(list.sets.size()) + " downsets, " +
                         std::to_string(list.cuts.size()) + " contiguous stages");
  auto best = search.find(INFINITY, limits);
  if (!best) {
    answer.infeasible = explain(problem, limits, search);
    return answer;
  }
  double low = least_seconds(problem);
  double high = slowest(search, *best);
  while (high - low > tolerance * high) {
    const double middle = 0.5 * (low + high);
    if (auto found = search.find(middle, limits)) {
      best = std::move(found);
      high = slowest(search, *best);
    } else {
      low = middle;
    }
  }
  answer.plans.push_back(plan_of(problem, list, *best));
  const PartitionScore score = score_partition(problem, answer.plans[0]);
  answer.plans[0].slowest_seconds = score.slowest_seconds;
  for (std::size_t q = 0; q < score.seconds.size(); ++q) {
    answer.plans[0].stages[q].seconds = score.seconds[q];
    answer.plans[0].stages[q].memory_bytes = score.memory_bytes[q];
  }
  answer.optimal = true;
  return answer;
}

std::unique_ptr<GraphPartitioner> make_contiguous_partitioner(const HostServices& /*host*/) {
  return std::make_unique<ContiguousPartitioner>();
}

}  // namespace berth::planners
