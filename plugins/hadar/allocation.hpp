// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "berth/gpu_ledger.hpp"

#include "prices.hpp"
#include "utility.hpp"

namespace berth::hadar {

/// What was decided about a job, and what it was worth.
struct Decision {
  std::size_t row = 0;
  std::vector<GpuId> gpus;  ///< Empty: it waits.
  double utility = 0.0;
  double charge = 0.0;       ///< Priced demand.
  double dual_growth = 0.0;  ///< By its own price rise.
  bool by_filling = false;   ///< Started on what the prices left idle.

  [[nodiscard]] double payoff() const noexcept { return utility - charge; }
};

/// Settings that both allocations share.
struct AllocationOptions {
  double stickiness = 0.0;           ///< Part of the utility added to keeping one's accelerators.
  bool fill = true;                  ///< Start jobs on idle accelerators whatever the price says.
  std::size_t state_limit = 200000;  ///< Most states of the exact allocation.
};

/// One round's problem.
struct RoundProblem {
  const RoundContext& context;
  std::span<const JobView> jobs;
  const Utility& utility;
  const AllocationOptions& options;
};

/// The restart a job pays if it runs on these accelerators, seconds.
[[nodiscard]] double overhead_on(const RoundContext& context,
                                 const JobState& job,
                                 std::span<const GpuId> gpus);

/// The utility of running there to the end, stickiness included; 0 where it
/// cannot run.
[[nodiscard]] double utility_on(const RoundProblem& problem,
                                const JobView& job,
                                std::span<const GpuId> gpus);

/// FIND_ALLOC of the paper: the placement of best payoff on what
/// is free. Candidates: its present accelerators; for every prefix of its types
/// by speed, one machine of the slowest, else spread over the prefix, fast
/// types first and slow types first.
/// @return a decision without accelerators if none has a payoff > 0.
[[nodiscard]] Decision find_allocation(const RoundProblem& problem,
                                       std::size_t row,
                                       GpuLedger& ledger,
                                       PriceBook& prices);

/// Jobs by utility density U / W, best first; ties by id.
[[nodiscard]] std::vector<std::size_t> rows_by_density(const RoundProblem& problem);

/// Greedy: jobs by density, each by FIND_ALLOC; then filling. `prices` ends at
/// the final occupancy.
/// @return one decision per row that was considered, in that order. Cost
/// O(jobs log jobs + started x types^2 x pools).
[[nodiscard]] std::vector<Decision> allocate_greedily(const RoundProblem& problem,
                                                      GpuLedger& ledger,
                                                      PriceBook& prices);

/// Starts further jobs, by density, on what is free at no charge.
void fill_idle(const RoundProblem& problem, GpuLedger& ledger, std::vector<Decision>& decisions);

/// Exact for the problem by type: maximises the sum of utilities minus
/// the unit-by-unit charge of the final occupancy over all compositions, by
/// dynamic programming over free accelerators per type; then finds machines
/// and, if a gang had to be split against the assumption, solves once more.
/// @throws InputError if the states exceed the limit; names both and the
/// greedy.
[[nodiscard]] std::vector<Decision> allocate_exactly(const RoundProblem& problem,
                                                     GpuLedger& ledger,
                                                     PriceBook& prices);

}  // namespace berth::hadar
