// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "table_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace third_party {

using berth::DeviceId;
using berth::OpId;
using berth::to_id;

TablePolicy::TablePolicy(const berth::Config& config)
    : rows_(static_cast<std::size_t>(config.integer("rows"))),
      columns_(static_cast<std::size_t>(config.integer("columns"))),
      learning_rate_(config.real("learning_rate")),
      table_(rows_ * columns_, 0.0F) {}

std::vector<double> TablePolicy::probabilities(const berth::PlacementProblem& problem,
                                               std::size_t op) const {
  const std::size_t devices = problem.topology.num_devices();
  std::vector<double> probability(devices, 0.0);
  double sum = 0.0;
  for (std::size_t d = 0; d < devices; ++d) {
    if (problem.costs.can_run(to_id<OpId>(op), to_id<DeviceId>(d))) {
      probability[d] = std::exp(static_cast<double>(table_[cell(op, d)]));
      sum += probability[d];
    }
  }
  for (double& value : probability) {
    value /= sum;
  }
  return probability;
}

berth::Placement TablePolicy::place(const berth::PlacementProblem& problem,
                                    berth::Evaluator& /*evaluator*/,
                                    berth::Rng& /*rng*/) {
  berth::Placement placement;
  for (std::size_t op = 0; op < problem.graph.num_ops(); ++op) {
    const std::vector<double> probability = probabilities(problem, op);
    const auto best = std::max_element(probability.begin(), probability.end());
    placement.device.push_back(to_id<DeviceId>(best - probability.begin()));
  }
  return placement;
}

berth::Rollout TablePolicy::rollout(const berth::PlacementProblem& problem,
                                    const berth::RolloutSpec& spec) const {
  berth::Rollout rollout;
  berth::Rng rng(spec.seed);
  for (std::size_t op = 0; op < problem.graph.num_ops(); ++op) {
    const std::vector<double> probability = probabilities(problem, op);
    double left = rng.uniform();
    std::size_t chosen = 0;
    for (std::size_t d = 0; d < probability.size(); ++d) {
      if (probability[d] > 0.0) {
        chosen = d;  // Rounding may leave a rest: the last possible device takes it.
        left -= probability[d];
        if (left < 0.0) {
          break;
        }
      }
    }
    rollout.placement.device.push_back(to_id<DeviceId>(chosen));
  }
  return rollout;
}

berth::Rollout TablePolicy::demonstrate(const berth::PlacementProblem& problem,
                                        const berth::RolloutSpec& /*spec*/) const {
  berth::Rollout rollout;
  const std::size_t devices = problem.topology.num_devices();
  for (std::size_t op = 0; op < problem.graph.num_ops(); ++op) {
    std::size_t device = op % devices;
    while (!problem.costs.can_run(to_id<OpId>(op), to_id<DeviceId>(device))) {
      device = (device + 1) % devices;
    }
    rollout.placement.device.push_back(to_id<DeviceId>(device));
  }
  return rollout;
}

void TablePolicy::assess(std::span<berth::RolloutOutcome> outcomes) {
  constexpr double kDecay = 0.9;
  for (berth::RolloutOutcome& outcome : outcomes) {
    outcome.advantage = 0.0;
    if (outcome.status != berth::RolloutStatus::kOk) {
      continue;
    }
    const auto [entry, is_new] = mean_makespan_.try_emplace(outcome.spec.problem, outcome.makespan);
    double& mean = entry->second;
    outcome.advantage = mean > 0.0 ? (mean - outcome.makespan) / mean : 0.0;
    mean = kDecay * mean + (1.0 - kDecay) * outcome.makespan;
  }
}

void TablePolicy::gradient(const berth::PlacementProblem& problem,
                           std::span<const berth::ScoredRollout> group,
                           std::span<float> out) const {
  for (std::size_t op = 0; op < problem.graph.num_ops(); ++op) {
    const std::vector<double> probability = probabilities(problem, op);
    for (const berth::ScoredRollout& scored : group) {
      const bool taught = scored.outcome.spec.stage == berth::Stage::kImitation;
      const double weight = taught ? 1.0 : scored.outcome.advantage;
      const std::size_t chosen = berth::index(scored.rollout->placement.device[op]);
      // d(-weight * log p[chosen]) / d logit[d] = weight * (p[d] - [d == chosen])
      for (std::size_t d = 0; d < probability.size(); ++d) {
        const double hit = d == chosen ? 1.0 : 0.0;
        out[cell(op, d)] += static_cast<float>(weight * (probability[d] - hit));
      }
    }
  }
}

void TablePolicy::step(std::span<const float> gradient, const berth::StepSpec& spec) {
  const double rate =
      learning_rate_ / static_cast<double>(std::max<std::uint64_t>(spec.rollouts, 1));
  for (std::size_t i = 0; i < table_.size(); ++i) {
    table_[i] -= static_cast<float>(rate * static_cast<double>(gradient[i]));
  }
}

void TablePolicy::save(berth::StateWriter& writer) const {
  const std::array<std::int64_t, 2> shape = {static_cast<std::int64_t>(rows_),
                                             static_cast<std::int64_t>(columns_)};
  writer.tensor("table", shape, std::span<const float>(table_));
  std::vector<std::uint64_t> problems;
  std::vector<double> means;
  for (const auto& [problem, mean] : mean_makespan_) {
    problems.push_back(problem);
    means.push_back(mean);
  }
  const std::array<std::int64_t, 1> length = {static_cast<std::int64_t>(problems.size())};
  writer.tensor("baseline/problem", length, std::span<const std::uint64_t>(problems));
  writer.tensor("baseline/mean_makespan", length, std::span<const double>(means));
}

void TablePolicy::load(const berth::StateReader& reader) {
  const std::array<std::int64_t, 2> shape = {static_cast<std::int64_t>(rows_),
                                             static_cast<std::int64_t>(columns_)};
  std::vector<float> table(table_.size());
  reader.tensor("table", shape, std::span<float>(table));
  const std::vector<std::int64_t> length = reader.shape("baseline/problem");
  const auto count = length.empty() ? std::size_t{0} : static_cast<std::size_t>(length.front());
  std::vector<std::uint64_t> problems(count);
  std::vector<double> means(count);
  reader.tensor("baseline/problem", length, std::span<std::uint64_t>(problems));
  reader.tensor("baseline/mean_makespan", length, std::span<double>(means));
  // Nothing is taken over before all of it was read.
  table_ = std::move(table);
  mean_makespan_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    mean_makespan_[problems[i]] = means[i];
  }
}

std::unique_ptr<berth::TrainablePolicy> make_table_policy(const berth::HostServices& host) {
  return std::make_unique<TablePolicy>(*host.config);
}

}  // namespace third_party
