// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace berth::schedulers {

enum class SolveStatus { kOptimal, kInfeasible, kUnbounded };

/// A linear program to be maximised, solved by GLPK: the simplex, and branch and bound where
/// variables are binary. Variables are >= 0 and, unless binary, unbounded above; rows have an upper
/// or a lower bound. Solving again starts from the last basis.
class LinearProgram {
 public:
  LinearProgram();
  ~LinearProgram();
  LinearProgram(const LinearProgram&) = delete;
  LinearProgram& operator=(const LinearProgram&) = delete;

  /// @return the variable's number. @throws InternalError if `objective` is not
  /// finite.
  int add_variable(double objective);
  /// A variable that solve_binaries() makes 0 or 1; solve() lets it be anything between.
  int add_binary(double objective);
  /// sum <= bound, or sum >= bound. @return the row's number.
  int add_row_at_most(double bound);
  int add_row_at_least(double bound);
  /// Sets one coefficient; the last value counts. @throws InternalError if it
  /// is not finite.
  void set(int row, int variable, double coefficient);

  /// Where the next solve() starts: these variables and rows are basic, all others at their bound;
  /// a basis that does not fit is replaced by GLPK's own. @pre As many as there are rows.
  void set_basis(std::span<const int> basic_variables, std::span<const int> basic_rows);

  /// @throws SolverError if GLPK gives up, with its code.
  [[nodiscard]] SolveStatus solve();
  [[nodiscard]] double objective() const;
  [[nodiscard]] double value(int variable) const;
  /// What the optimum would gain for each unit more of a row's bound; after solve().
  [[nodiscard]] double dual(int row) const;

  /// Maximises with the binaries as such, to a relative gap, looking at no more than `most_nodes`
  /// nodes of the search; deterministic, there is no clock in it.
  /// @param start [variables, from number 1 on] a feasible answer, the worst that is returned.
  /// @return the values, [variables]. @throws SolverError if GLPK gives up.
  [[nodiscard]] std::vector<double> solve_binaries(std::vector<double> start,
                                                   double gap,
                                                   std::int64_t most_nodes);

 private:
  struct Entries;
  void check(double value) const;
  void load();

  void* problem_;  // glp_prob
  std::unique_ptr<Entries> entries_;
};

}  // namespace berth::schedulers
