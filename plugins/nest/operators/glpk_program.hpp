// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/operator_scheduler.hpp"

namespace berth::nest {

/// A mixed integer program to be minimised or maximised by GLPK's branch and cut: the only place of
/// this plugin that knows GLPK. Columns and rows are numbered from 1.
class GlpkProgram {
 public:
  using Terms = std::vector<std::pair<int, double>>;  ///< (column, coefficient), columns distinct
  struct Row {
    double lower = 0.0;  ///< Of the sum of the terms; -infinity where there is none.
    double upper = 0.0;  ///< +infinity likewise.
    Terms terms;
  };
  /// Turns the values of a linear relaxation, [columns + 1], into a feasible solution, or nothing.
  using Heuristic = std::function<std::optional<std::vector<double>>(std::span<const double>)>;

  struct Answer {
    bool feasible = false;
    double objective = 0.0;
    double bound = 0.0;
    Certificate certificate = Certificate::kOptimal;
    std::vector<double> values;  ///< [columns + 1]; empty unless feasible
  };

  GlpkProgram();
  ~GlpkProgram();
  GlpkProgram(GlpkProgram&& other) noexcept;
  GlpkProgram& operator=(GlpkProgram&&) = delete;
  GlpkProgram(const GlpkProgram&) = delete;
  GlpkProgram& operator=(const GlpkProgram&) = delete;

  /// Reads CPLEX LP format. @throws InputError with GLPK's complaint, which names the line.
  [[nodiscard]] static GlpkProgram parse(std::string_view text);
  /// Writes CPLEX LP format.
  [[nodiscard]] std::string text() const;

  /// @throws InternalError for numbers that are not finite or a lower bound above the upper one.
  int add_column(const std::string& name, double lower, double upper, double cost = 0.0);
  int add_binary(const std::string& name);
  /// sum of terms >= bound.
  void add_row_at_least(double bound, const Terms& terms);
  void set_upper(int column, double upper);

  [[nodiscard]] int columns() const;
  [[nodiscard]] int rows() const;
  [[nodiscard]] int binaries() const;  ///< Integer columns of any kind.
  [[nodiscard]] std::string column_name(int column) const;
  [[nodiscard]] double cost(int column) const;
  [[nodiscard]] bool is_minimum() const;
  [[nodiscard]] Row row(int i) const;

  /// By how much values, [columns + 1], break a row or a bound most, relative to the largest term
  /// in it; infinite if an integer column is 1e-9 away from an integer.
  [[nodiscard]] double violation(std::span<const double> values) const;

  /// Branch and cut. With `incumbent`, [columns + 1], the search starts from it and `heuristic` is
  /// asked at every node; without, GLPK's presolver runs first. Cuts are
  /// given up where GLPK fails on a basis that they made singular.
  /// @throws SolverError if GLPK gives up, with its code, or if the program is unbounded.
  [[nodiscard]] Answer solve(const SolverLimits& limits,
                             const std::vector<double>* incumbent = nullptr,
                             const Heuristic& heuristic = {});

 private:
  // False where GLPK failed an assertion of its own.
  bool try_solve(const SolverLimits& limits,
                 const std::vector<double>* incumbent,
                 const Heuristic& heuristic,
                 bool cuts,
                 Answer& answer);

  void* problem_;  // glp_prob
};

}  // namespace berth::nest
