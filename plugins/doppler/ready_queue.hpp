// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "berth/graph.hpp"
#include "berth/rng.hpp"

#include "weight_tree.hpp"

namespace berth::doppler {

/// SEL's choice where an op's logit does not depend on the other candidates: the candidates of
/// CandidateSet, in the same order, kept so that a step costs O(successors * log ops) however many
/// ops are ready. Chooses what Chooser does from CandidateSet::list(): the first greatest logit, or
/// a draw from the softmax (whose sums are in double here, in float there).
class ReadyQueue {
 public:
  /// @param logits [ops] @param temperature of draws; 0: greedy. All must outlive the queue.
  ReadyQueue(const Graph& graph, std::span<const float> logits, double temperature);

  /// Takes the next op out; its successors that become legal follow. Draws only where there is a
  /// choice. @pre an op is left.
  std::uint32_t take(Rng& rng);

 private:
  void insert(std::uint32_t op);
  [[nodiscard]] double weight(std::uint32_t op) const;
  /// Weights relative to the greatest logit that is left, when all have become too small.
  void rescale();
  [[nodiscard]] std::uint32_t greatest();
  [[nodiscard]] std::uint32_t drawn(double uniform);

  const Graph* graph_;
  std::span<const float> logits_;
  double inverse_;  ///< 1 / temperature; 0: greedy
  double reference_ = 0.0;
  std::size_t left_ = 0;                               ///< candidates
  std::vector<std::uint32_t> missing_;                 ///< [ops] unassigned predecessors
  std::vector<std::uint32_t> op_at_;                   ///< ops by insertion
  std::vector<std::uint32_t> position_;                ///< [ops] its place there
  std::vector<std::pair<float, std::uint32_t>> heap_;  ///< greedy: logit, place counted downwards
  WeightTree tree_;                                    ///< drawing: by place
};

}  // namespace berth::doppler
