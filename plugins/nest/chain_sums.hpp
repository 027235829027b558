// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "berth/strategy_problem.hpp"

namespace berth::nest {

/// Prefix sums over the layers of one configuration: any stage in constant time.
class ChainSums {
 public:
  ChainSums(const StrategyProblem& problem, const StrategyConfiguration& configuration);

  [[nodiscard]] std::size_t layers() const noexcept { return dense_.size() - 1; }
  [[nodiscard]] double forward(std::size_t c, std::size_t i, std::size_t j) const {
    return classes_[c].forward[j] - classes_[c].forward[i];
  }
  [[nodiscard]] double backward(std::size_t c, std::size_t i, std::size_t j) const {
    return classes_[c].backward[j] - classes_[c].backward[i];
  }
  [[nodiscard]] double again(std::size_t c, std::size_t r, std::size_t i, std::size_t j) const {
    return classes_[c].again[r][j] - classes_[c].again[r][i];
  }
  [[nodiscard]] double dense(std::size_t i, std::size_t j) const { return dense_[j] - dense_[i]; }
  [[nodiscard]] double expert(std::size_t i, std::size_t j) const {
    return expert_[j] - expert_[i];
  }
  [[nodiscard]] double saved(std::size_t r, std::size_t i, std::size_t j) const {
    return saved_[r][j] - saved_[r][i];
  }
  [[nodiscard]] double work(std::size_t r, std::size_t layer) const { return work_[r][layer]; }

  /// Least forward and backward time of one layer over all classes.
  [[nodiscard]] double least(std::size_t i, std::size_t j) const { return least_[j] - least_[i]; }

  /// Least backward time of the layers before `j` over all classes.
  [[nodiscard]] double least_backward(std::size_t j) const { return least_backward_[j]; }

  /// A lower bound on the slowest of `stages` stages, compute alone, within 1e-6 of the best cut.
  [[nodiscard]] double slowest_bound(std::size_t stages) const;
  [[nodiscard]] double heaviest_layer() const;

 private:
  struct PerClass {
    std::vector<double> forward, backward;
    std::array<std::vector<double>, kRecomputeChoices> again;
  };
  std::vector<PerClass> classes_;
  std::vector<double> dense_, expert_, least_, least_backward_;
  std::array<std::vector<double>, kRecomputeChoices> saved_, work_;
};

}  // namespace berth::nest
