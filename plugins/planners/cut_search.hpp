// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cut_list.hpp"

namespace berth::planners {

/// What a contiguous plan may use.
struct CutLimits {
  std::size_t accelerators = 0;
  std::size_t hosts = 0;
  double memory_bytes = 0.0;
};

/// A stage of a plan found: a cut, one of its options, replicas.
struct ChosenStage {
  std::uint32_t cut = 0;
  std::uint32_t option = 0;
  std::uint32_t data = 1;
};

/// Looks for contiguous plans no stage of which takes longer than a given time. From the last stage
/// to the first, every downset keeps the Pareto front of (accelerators, hosts, replicas) that the
/// nodes after it need; replicas decide how many samples earlier stages keep.
class CutSearch {
 public:
  CutSearch(const PartitionProblem& problem, const CutList& list);

  /// Stages first to last, or nothing if there is no such plan: exact. Cost O(options * divisors of
  /// the micro-batches * front).
  [[nodiscard]] std::optional<std::vector<ChosenStage>> find(double most_seconds,
                                                             const CutLimits& limits);

  /// Time per sample of a stage.
  [[nodiscard]] double seconds(const ChosenStage& stage) const;

 private:
  struct State {
    std::uint32_t accelerators = 0;
    std::uint32_t hosts = 0;
    std::uint32_t replicas = 0;  // of all stages after the downset
    std::uint32_t next = 0;      // state of the following downset
    ChosenStage stage;           // the stage right after the downset
  };

  void extend(std::uint32_t cut, double most_seconds, const CutLimits& limits);
  void extend_by(std::uint32_t cut,
                 std::uint32_t option,
                 std::uint32_t data,
                 double most_in_flight,
                 const CutLimits& limits);
  void insert(std::vector<State>& front, const State& fresh);

  const PartitionProblem& problem_;
  const CutList& list_;
  std::vector<std::uint32_t> degrees_;      // replicas to try, ascending
  std::vector<std::vector<State>> fronts_;  // [downsets]
};

}  // namespace berth::planners
