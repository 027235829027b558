// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "linear_program.hpp"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <glpk.h>

#include "berth/error.hpp"

namespace berth::schedulers {

struct LinearProgram::Entries {
  std::map<std::pair<int, int>, double> by_place;  // (variable, row), so that columns are together
  bool changed = false;
};

namespace {

glp_prob* as_problem(void* pointer) {
  return static_cast<glp_prob*>(pointer);
}

}  // namespace

LinearProgram::LinearProgram() : problem_(glp_create_prob()), entries_(new Entries) {
  glp_term_out(GLP_OFF);
  glp_set_obj_dir(as_problem(problem_), GLP_MAX);
}

LinearProgram::~LinearProgram() {
  glp_delete_prob(as_problem(problem_));
}

// GLPK aborts the process on bad arguments, so they are refused before they
// reach it.
void LinearProgram::check(double value) const {
  BERTH_CHECK(std::isfinite(value), "coefficients of a linear program are finite");
}

int LinearProgram::add_variable(double objective) {
  check(objective);
  const int variable = glp_add_cols(as_problem(problem_), 1);
  glp_set_col_bnds(as_problem(problem_), variable, GLP_LO, 0.0, 0.0);
  glp_set_obj_coef(as_problem(problem_), variable, objective);
  return variable;
}

int LinearProgram::add_binary(double objective) {
  const int variable = add_variable(objective);
  glp_set_col_kind(as_problem(problem_), variable, GLP_BV);
  return variable;
}

int LinearProgram::add_row_at_most(double bound) {
  check(bound);
  const int row = glp_add_rows(as_problem(problem_), 1);
  glp_set_row_bnds(as_problem(problem_), row, GLP_UP, 0.0, bound);
  return row;
}

int LinearProgram::add_row_at_least(double bound) {
  check(bound);
  const int row = glp_add_rows(as_problem(problem_), 1);
  glp_set_row_bnds(as_problem(problem_), row, GLP_LO, bound, 0.0);
  return row;
}

void LinearProgram::set(int row, int variable, double coefficient) {
  check(coefficient);
  BERTH_CHECK(row >= 1 && row <= glp_get_num_rows(as_problem(problem_)) && variable >= 1 &&
                  variable <= glp_get_num_cols(as_problem(problem_)),
              "row and variable exist");
  entries_->by_place[{variable, row}] = coefficient;
  entries_->changed = true;
}

void LinearProgram::load() {
  std::vector<int> rows = {0};  // GLPK counts from 1
  std::vector<int> columns = {0};
  std::vector<double> values = {0.0};
  for (const auto& [place, value] : entries_->by_place) {
    columns.push_back(place.first);
    rows.push_back(place.second);
    values.push_back(value);
  }
  glp_load_matrix(as_problem(problem_),
                  static_cast<int>(values.size()) - 1,
                  rows.data(),
                  columns.data(),
                  values.data());
  entries_->changed = false;
}

void LinearProgram::set_basis(std::span<const int> basic_variables,
                              std::span<const int> basic_rows) {
  glp_prob* const problem = as_problem(problem_);
  BERTH_CHECK(basic_variables.size() + basic_rows.size() ==
                  static_cast<std::size_t>(glp_get_num_rows(problem)),
              "a basis has as many members as the program has rows");
  // A nonbasic row goes to the bound that it has, whichever is named.
  for (int row = 1; row <= glp_get_num_rows(problem); ++row) {
    glp_set_row_stat(problem, row, GLP_NL);
  }
  for (int variable = 1; variable <= glp_get_num_cols(problem); ++variable) {
    glp_set_col_stat(problem, variable, GLP_NL);
  }
  for (const int variable : basic_variables) {
    glp_set_col_stat(problem, variable, GLP_BS);
  }
  for (const int row : basic_rows) {
    glp_set_row_stat(problem, row, GLP_BS);
  }
}

SolveStatus LinearProgram::solve() {
  if (entries_->changed) {
    load();
  }
  glp_smcp control;
  glp_init_smcp(&control);
  control.msg_lev = GLP_MSG_OFF;
  // Demands of short jobs are small numbers: the default 1e-7 would let them go unserved.
  control.tol_bnd = 1e-10;
  control.tol_dj = 1e-10;
  // The simplex needs a step or two a row; at so narrow tolerances it can also go round in circles.
  control.it_lim =
      1000 + 10 * (glp_get_num_rows(as_problem(problem_)) + glp_get_num_cols(as_problem(problem_)));
  int failure = glp_simplex(as_problem(problem_), &control);
  if (failure == GLP_EBADB || failure == GLP_ESING || failure == GLP_ECOND ||
      failure == GLP_EFAIL || failure == GLP_EITLIM) {
    glp_adv_basis(as_problem(problem_),
                  0);  // the old basis no longer fits the coefficients
    failure = glp_simplex(as_problem(problem_), &control);
  }
  if (failure == GLP_EITLIM || failure == GLP_EFAIL) {
    glp_std_basis(as_problem(problem_));
    control.tol_bnd = control.tol_dj = 1e-8;
    failure = glp_simplex(as_problem(problem_), &control);
  }
  if (failure != 0) {
    throw SolverError("linear program: GLPK's simplex gave up with code " +
                      std::to_string(failure) + "; expected an optimum");
  }
  switch (glp_get_status(as_problem(problem_))) {
    case GLP_OPT:
      return SolveStatus::kOptimal;
    case GLP_UNBND:
      return SolveStatus::kUnbounded;
    default:
      return SolveStatus::kInfeasible;
  }
}

double LinearProgram::objective() const {
  return glp_get_obj_val(as_problem(problem_));
}

double LinearProgram::value(int variable) const {
  return glp_get_col_prim(as_problem(problem_), variable);
}

double LinearProgram::dual(int row) const {
  return glp_get_row_dual(as_problem(problem_), row);
}

namespace {

/// What the search tells its callback: a first answer, and when to stop.
struct Search {
  std::vector<double> start;  // from 1 on, as GLPK counts
  std::int64_t nodes_left = 0;
  bool started = false;
};

void watch(glp_tree* tree, void* pointer) {
  Search& search = *static_cast<Search*>(pointer);
  switch (glp_ios_reason(tree)) {
    case GLP_IHEUR:
      if (!search.started) {
        search.started = true;
        glp_ios_heur_sol(tree, search.start.data());
      }
      break;
    case GLP_ISELECT:
      if (--search.nodes_left < 0) {
        glp_ios_terminate(tree);
      }
      break;
    default:
      break;
  }
}

}  // namespace

std::vector<double> LinearProgram::solve_binaries(std::vector<double> start,
                                                  double gap,
                                                  std::int64_t most_nodes) {
  BERTH_CHECK(start.size() == static_cast<std::size_t>(glp_get_num_cols(as_problem(problem_))),
              "a value for every variable");
  if (solve() != SolveStatus::kOptimal) {
    return start;
  }
  Search search{{0.0}, most_nodes, false};
  search.start.insert(search.start.end(), start.begin(), start.end());
  glp_iocp control;
  glp_init_iocp(&control);
  control.msg_lev = GLP_MSG_OFF;
  control.mip_gap = gap;
  control.cb_func = watch;
  control.cb_info = &search;
  const int failure = glp_intopt(as_problem(problem_), &control);
  if (failure != 0 && failure != GLP_ESTOP && failure != GLP_EMIPGAP) {
    throw SolverError("integer program: GLPK's branch and bound gave up with code " +
                      std::to_string(failure) + "; expected an answer");
  }
  const int status = glp_mip_status(as_problem(problem_));
  if (status == GLP_OPT || status == GLP_FEAS) {
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] = glp_mip_col_val(as_problem(problem_), static_cast<int>(i) + 1);
    }
  }
  return start;
}

}  // namespace berth::schedulers
