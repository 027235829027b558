// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "berth/cluster_scheduler.hpp"

#include "gavel_policy.hpp"
#include "linear_program.hpp"

namespace berth::schedulers {

/// Jobs that differ in nothing a program sees share one row: `members` of them.
struct ShareRow {
  std::vector<double> rates;  ///< [num_types] steps/s of one job.
  double gang = 1.0;
  double members = 1.0;
  double copies = 1.0;  ///< Most accelerator groups that one job may use at once.
};

/// The constraints that all policies of Gavel (OSDI 2020) share:
/// X >= 0, sum_m gang_m X_mj <= cap_j, sum_j X_mj <= 1. X of a row is the sum
/// over its members.
class ShareProgram {
 public:
  ShareProgram(const Cluster& cluster, std::span<const ShareRow> rows);

  /// The variable of a row and type; 0 where the job cannot run on the type.
  [[nodiscard]] int share(std::size_t row, std::size_t type) const {
    return variables_[row * num_types_ + type];
  }
  /// coefficient . (sum_j T_j X_j) of a share row is added to a row of the
  /// program.
  void add_throughput(int program_row, std::size_t row, double coefficient);
  [[nodiscard]] LinearProgram& program() noexcept { return program_; }
  [[nodiscard]] const LinearProgram& program() const noexcept { return program_; }
  /// The row of the program that limits a type's accelerators.
  [[nodiscard]] int capacity_row(std::size_t type) const { return capacity_rows_[type]; }
  /// The row of the program that limits a share row's time.
  [[nodiscard]] int time_row(std::size_t row) const { return time_rows_[row]; }
  /// The share of one member.
  [[nodiscard]] double share_value(std::size_t row, std::size_t type) const;

 private:
  std::size_t num_types_;
  std::vector<ShareRow> rows_;
  std::vector<int> variables_;
  std::vector<int> capacity_rows_;  // [num_types]
  std::vector<int> time_rows_;      // [rows]
  LinearProgram program_;
};

/// max z such that throughput(row) >= z demand(row) for every row; `demand` is
/// per member. With demand = remaining steps 1 / z is the least time in which
/// all can finish.
class BalancedShares {
 public:
  BalancedShares(const Cluster& cluster, std::span<const ShareRow> rows);

  /// Lets the next solve() start near its answer: every row on the type that is cheapest for it at
  /// prices under which the types are about equally loaded. The optimum is the same, reached in
  /// tens of steps of the simplex instead of one or two for each row; which of several optimal sets
  /// of shares it is may differ.
  void start_near(std::span<const double> demand);

  /// Solves for these demands, all > 0; again starts from the last basis.
  /// @return z. @throws SolverError if there is no optimum.
  [[nodiscard]] double solve(std::span<const double> demand);

  /// An upper bound of z by weak duality: the solver's prices, mended until they satisfy the dual
  /// program in double precision. Valid whatever tolerance the solver stopped at, and equal to z up
  /// to rounding where it did not stop short. @pre solve() was called; of its demands.
  [[nodiscard]] double dual_bound() const;
  [[nodiscard]] double share(std::size_t row, std::size_t type) const {
    return shares_.share_value(row, type);
  }

 private:
  std::vector<ShareRow> rows_;
  ShareProgram shares_;
  int z_ = 0;
  std::vector<double> capacity_;  // [num_types]
  std::vector<double> scaled_;    // [rows] demand of all members / best rate
  double largest_ = 1.0;          // of scaled_
  std::vector<int> demand_rows_;

  /// [types] accelerators needed if all were done in unit time, each row on its cheapest type;
  /// `choice` gets that type.
  [[nodiscard]] std::vector<double> loads(std::span<const double> demand,
                                          std::span<const double> price,
                                          std::vector<std::size_t>& choice) const;
};

}  // namespace berth::schedulers
