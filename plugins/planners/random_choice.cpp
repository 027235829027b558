// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "random_choice.hpp"

#include <algorithm>

#include "berth/error.hpp"

namespace berth::planners {

std::uint32_t most_replicas(const StrategyProblem& problem,
                            std::uint32_t configuration,
                            std::size_t stages) {
  const StrategyConfiguration& c = problem.configurations[configuration];
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(c.micro_batches, problem.network.num_devices() / (c.block() * stages)));
}

PlanChoice random_choice(const StrategyProblem& problem, Rng& rng) {
  const std::size_t devices = problem.network.num_devices();
  std::vector<std::uint32_t> fitting;
  for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
    if (problem.configurations[index].block() <= devices) {
      fitting.push_back(index);
    }
  }
  if (fitting.empty()) {
    throw InputError(problem.model + ": every configuration takes more than the " +
                     std::to_string(devices) + " devices; expected one that does not");
  }
  PlanChoice choice;
  const std::uint32_t index = fitting[rng.below(fitting.size())];
  const std::size_t most_stages =
      std::min(problem.layers.size(), devices / problem.configurations[index].block());
  const std::size_t stages = 1 + rng.below(most_stages);
  const std::uint32_t most = most_replicas(problem, index, stages);
  const auto replicas = static_cast<std::uint32_t>(rng.below(2) == 0 ? most : 1 + rng.below(most));
  const std::size_t choices = problem.recompute_allowed ? kRecomputeChoices : 1;
  const auto recompute = static_cast<Recompute>(rng.below(choices));
  choice.zero = static_cast<std::uint32_t>(rng.below(4));
  choice.packing = rng.below(2) == 0 ? Packing::kPipelineInner : Packing::kDataInner;
  // stages - 1 distinct cuts between layers, by selection sampling (Knuth, algorithm S).
  std::uint32_t open = 1;
  std::size_t wanted = stages - 1;
  for (std::size_t v = 1; v < problem.layers.size(); ++v) {
    if (rng.below(problem.layers.size() - v) < wanted) {
      choice.stages.push_back({open, index, replicas, recompute});
      open = 0;
      --wanted;
    }
    ++open;
  }
  choice.stages.push_back({open, index, replicas, recompute});
  return choice;
}

}  // namespace berth::planners
