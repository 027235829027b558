// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/export.hpp"
#include "berth/partition_problem.hpp"

namespace berth {
inline namespace abi_v1 {

/// What a partitioner found: a plan, or why there is none.
struct PartitionAnswer {
  std::vector<PartitionPlan> plans;     ///< One, or none.
  std::vector<std::string> infeasible;  ///< One line per binding constraint; only without a plan.
  bool optimal = false;                 ///< Proved best among the plans of its kind.
  std::uint64_t examined = 0;           ///< Stages priced.
  std::vector<std::string> notes;       ///< What the partitioner wants said, one line each.
};

/// An algorithm that cuts a graph of layers into stages: `berth.partition/1`.
class BERTH_API GraphPartitioner {
 public:
  static constexpr std::string_view kInterface = "berth.partition/1";

  GraphPartitioner() = default;
  GraphPartitioner(const GraphPartitioner&) = delete;
  GraphPartitioner& operator=(const GraphPartitioner&) = delete;
  virtual ~GraphPartitioner();

  /// The best plan of a problem that passed check_partition_problem(). Deterministic.
  /// @throws InputError if the problem is beyond the algorithm, saying what is.
  [[nodiscard]] virtual PartitionAnswer partition(const PartitionProblem& problem) = 0;
};

}  // namespace abi_v1
}  // namespace berth
