// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "berth/host_services.hpp"
#include "berth/trainable_policy.hpp"

namespace third_party {

/// The simplest policy that learns: a table of logits, one row an op and one column a device,
/// trained by REINFORCE with a running mean as its baseline. Larger graphs and topologies fold
/// onto the table, so its size does not depend on the problem. The teacher deals ops out in turn.
class TablePolicy final : public berth::TrainablePolicy {
 public:
  explicit TablePolicy(const berth::Config& config);

  berth::Placement place(const berth::PlacementProblem& problem,
                         berth::Evaluator& evaluator,
                         berth::Rng& rng) override;
  berth::Rollout rollout(const berth::PlacementProblem& problem,
                         const berth::RolloutSpec& spec) const override;
  berth::Rollout demonstrate(const berth::PlacementProblem& problem,
                             const berth::RolloutSpec& spec) const override;
  void assess(std::span<berth::RolloutOutcome> outcomes) override;
  void gradient(const berth::PlacementProblem& problem,
                std::span<const berth::ScoredRollout> group,
                std::span<float> out) const override;
  void step(std::span<const float> gradient, const berth::StepSpec& spec) override;
  std::span<const float> parameters() const override { return table_; }
  void save(berth::StateWriter& writer) const override;
  void load(const berth::StateReader& reader) override;

 private:
  [[nodiscard]] std::size_t cell(std::size_t op, std::size_t device) const {
    return (op % rows_) * columns_ + device % columns_;
  }
  /// [devices] probabilities of the devices that can run `op`, 0 for the others.
  [[nodiscard]] std::vector<double> probabilities(const berth::PlacementProblem& problem,
                                                  std::size_t op) const;

  std::size_t rows_;
  std::size_t columns_;
  double learning_rate_;
  std::vector<float> table_;                       ///< [rows, columns]
  std::map<std::uint64_t, double> mean_makespan_;  ///< By position of the problem.
};

std::unique_ptr<berth::TrainablePolicy> make_table_policy(const berth::HostServices& host);

}  // namespace third_party
