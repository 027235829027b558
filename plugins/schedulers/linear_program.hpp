// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <vector>

namespace berth::schedulers {

enum class SolveStatus { kOptimal, kInfeasible, kUnbounded };

/// A linear program to be maximised, solved by GLPK's simplex. Variables are >=
/// 0 and unbounded above; rows have an upper or a lower bound. Solving again
/// starts from the last basis.
class LinearProgram {
 public:
  LinearProgram();
  ~LinearProgram();
  LinearProgram(const LinearProgram&) = delete;
  LinearProgram& operator=(const LinearProgram&) = delete;

  /// @return the variable's number. @throws InternalError if `objective` is not
  /// finite.
  int add_variable(double objective);
  /// sum <= bound, or sum >= bound. @return the row's number.
  int add_row_at_most(double bound);
  int add_row_at_least(double bound);
  /// Sets one coefficient; the last value counts. @throws InternalError if it
  /// is not finite.
  void set(int row, int variable, double coefficient);

  /// @throws SolverError if GLPK gives up, with its code.
  [[nodiscard]] SolveStatus solve();
  [[nodiscard]] double objective() const;
  [[nodiscard]] double value(int variable) const;

 private:
  struct Entries;
  void check(double value) const;
  void load();

  void* problem_;  // glp_prob
  std::unique_ptr<Entries> entries_;
};

}  // namespace berth::schedulers
