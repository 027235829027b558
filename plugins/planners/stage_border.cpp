// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stage_border.hpp"

namespace berth::planners {

StageBorder::StageBorder(const PartitionProblem& problem)
    : problem_(problem),
      touching_(problem.nodes.size()),
      ends_(problem.transfers.size(), 0),
      inside_(problem.nodes.size(), false) {
  for (std::uint32_t t = 0; t < problem.transfers.size(); ++t) {
    touching_[problem.transfers[t].from].push_back(t);
    for (const std::uint32_t to : problem.transfers[t].to) {
      touching_[to].push_back(t);
    }
  }
}

double StageBorder::crossing_seconds() const {
  double sum = 0.0;
  for (std::uint32_t t = 0; t < ends_.size(); ++t) {
    sum += crosses(t) ? problem_.transfers[t].seconds : 0.0;
  }
  return sum;
}

void StageBorder::move(std::uint32_t node, int change) {
  inside_[node] = change > 0;
  for (const std::uint32_t transfer : touching_[node]) {
    ends_[transfer] += static_cast<std::size_t>(change);
  }
}

}  // namespace berth::planners
