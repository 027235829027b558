// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>

#include "glpk_problem.hpp"
#include "glpk_program.hpp"

// What a program says, and whether values satisfy it.
namespace berth::nest {
double GlpkProgram::cost(int column) const {
  return glp_get_obj_coef(as_problem(problem_), column);
}

bool GlpkProgram::is_minimum() const {
  return glp_get_obj_dir(as_problem(problem_)) == GLP_MIN;
}

GlpkProgram::Row GlpkProgram::row(int i) const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  glp_prob* const problem = as_problem(problem_);
  const int type = glp_get_row_type(problem, i);
  Row row;
  row.lower = type == GLP_FR || type == GLP_UP ? -kNone : glp_get_row_lb(problem, i);
  row.upper = type == GLP_FR || type == GLP_LO ? kNone : glp_get_row_ub(problem, i);
  const auto size = static_cast<std::size_t>(glp_get_mat_row(problem, i, nullptr, nullptr)) + 1;
  std::vector<int> columns(size);
  std::vector<double> values(size);
  glp_get_mat_row(problem, i, columns.data(), values.data());
  for (std::size_t k = 1; k < size; ++k) {
    row.terms.emplace_back(columns[k], values[k]);
  }
  return row;
}

double GlpkProgram::violation(std::span<const double> values) const {
  glp_prob* const problem = as_problem(problem_);
  double most = 0.0;
  const auto check = [&most](double value, double lower, double upper, double scale) {
    most = std::max(most, std::max(lower - value, value - upper) / std::max(1.0, scale));
  };
  for (int j = 1; j <= columns(); ++j) {
    const double value = values[static_cast<std::size_t>(j)];
    const int type = glp_get_col_type(problem, j);
    check(value,
          type == GLP_FR || type == GLP_UP ? value : glp_get_col_lb(problem, j),
          type == GLP_FR || type == GLP_LO ? value : glp_get_col_ub(problem, j),
          std::abs(value));
    if (glp_get_col_kind(problem, j) != GLP_CV && std::abs(value - std::round(value)) > 1e-9) {
      return std::numeric_limits<double>::infinity();
    }
  }
  for (int i = 1; i <= rows(); ++i) {
    const Row here = row(i);
    double sum = 0.0;
    double scale = 0.0;
    for (const auto& [column, value] : here.terms) {
      const double term = value * values[static_cast<std::size_t>(column)];
      sum += term;
      scale = std::max(scale, std::abs(term));
    }
    check(sum, here.lower, here.upper, scale);
  }
  return most;
}

}  // namespace berth::nest
