// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "berth/strategy_planner.hpp"

namespace berth::launcher {

class MpiSession;

/// The processes that plan one problem: this one alone, or the ranks of a job under mpirun, which
/// divide the planner's work items and end with the same plans as one process.
class PlanRanks {
 public:
  /// Starts MPI, if this process was started by a launcher of MPI (it costs a tenth of a second).
  PlanRanks();
  PlanRanks(const PlanRanks&) = delete;
  PlanRanks& operator=(const PlanRanks&) = delete;
  ~PlanRanks();

  [[nodiscard]] int rank() const noexcept;
  [[nodiscard]] int size() const noexcept;

  /// The plans of all work items, on every rank; once in a life. @throws what the planner throws on
  /// this rank, or a failure of another rank.
  [[nodiscard]] StrategyAnswer plan(StrategyPlanner& planner,
                                    const StrategyProblem& problem,
                                    std::uint32_t top_k);

  /// Runs what every rank does: parses, plans, and on rank 0 prints. An error that all ranks run
  /// into is said once, by rank 0; one of a single rank ends all of them. @return the exit code.
  /// @throws what `action` throws, if this process is alone.
  static int run(const std::function<int(PlanRanks&)>& action);

 private:
  std::unique_ptr<MpiSession> session_;  // null: alone
  bool exchanged_ = false;
};

}  // namespace berth::launcher
