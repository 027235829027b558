// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "glpk_program.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csetjmp>
#include <limits>

#include "berth/error.hpp"

#include "glpk_problem.hpp"

namespace berth::nest {
namespace {

// GLPK reads and writes files only; this one has no place on any disk.
class MemoryFile {
 public:
  MemoryFile() : handle_(memfd_create("berth-lp", MFD_CLOEXEC)) {
    if (handle_ < 0) {
      throw RunError("memory file for an integer program: cannot be made; expected one");
    }
  }
  ~MemoryFile() { close(handle_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(handle_); }

  void fill(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(handle_, text.data(), text.size());
      if (written <= 0) {
        throw RunError("memory file for an integer program: not written; expected room");
      }
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  [[nodiscard]] std::string text() const {
    std::string all;
    char buffer[1 << 16];
    lseek(handle_, 0, SEEK_SET);
    for (ssize_t n = 0; (n = read(handle_, buffer, sizeof buffer)) > 0;) {
      all.append(buffer, static_cast<std::size_t>(n));
    }
    return all;
  }

 private:
  int handle_;
};

// Catches what GLPK would print, for as long as it lives.
class Messages {
 public:
  Messages() {
    glp_term_out(GLP_ON);
    glp_term_hook(
        [](void* self, const char* text) -> int {
          static_cast<Messages*>(self)->text_ += text;
          return 1;
        },
        this);
  }
  ~Messages() {
    glp_term_hook(nullptr, nullptr);
    glp_term_out(GLP_OFF);
  }
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  // The line that names a place in the file; GLPK puts the file's name before it.
  [[nodiscard]] std::string complaint(const std::string& path) const {
    std::size_t at = text_.rfind(path + ":");
    if (at == std::string::npos) {
      return "unreadable";
    }
    at += path.size() + 1;
    return "line " + text_.substr(at, text_.find('\n', at) - at);
  }

 private:
  std::string text_;
};

// What the callback of branch and cut sees.
struct Search {
  int columns = 0;
  const std::vector<double>* incumbent = nullptr;
  const GlpkProgram::Heuristic* heuristic = nullptr;
  double bound = -std::numeric_limits<double>::infinity();
  bool told = false;
};

void offer(glp_tree* tree, const std::vector<double>& values) {
  glp_ios_heur_sol(tree, values.data());
}

void on_event(glp_tree* tree, void* info) {
  auto& search = *static_cast<Search*>(info);
  if (const int best = glp_ios_best_node(tree); best != 0) {
    search.bound = glp_ios_node_bound(tree, best);
  }
  if (glp_ios_reason(tree) != GLP_IHEUR || search.incumbent == nullptr) {
    return;
  }
  if (!search.told) {
    search.told = true;
    offer(tree, *search.incumbent);
  }
  if (*search.heuristic) {
    std::vector<double> relaxed(static_cast<std::size_t>(search.columns) + 1, 0.0);
    glp_prob* const problem = glp_ios_get_prob(tree);
    for (int j = 1; j <= search.columns; ++j) {
      relaxed[static_cast<std::size_t>(j)] = glp_get_col_prim(problem, j);
    }
    if (const auto found = (*search.heuristic)(relaxed)) {
      offer(tree, *found);
    }
  }
}

// GLPK aborts the process where its own assertions fail, such as on a basis that cuts have made
// singular. Its error hook leaves by a long jump over frames of GLPK alone.
constexpr int kAborted = -1;

int without_abort(int (*call)(glp_prob*, void*), glp_prob* problem, void* control) {
  std::jmp_buf escape;
  if (setjmp(escape) != 0) {
    glp_error_hook(nullptr, nullptr);
    return kAborted;
  }
  glp_error_hook([](void* to) { std::longjmp(*static_cast<std::jmp_buf*>(to), 1); }, &escape);
  const int code = call(problem, control);
  glp_error_hook(nullptr, nullptr);
  return code;
}

int simplex(glp_prob* problem, void* control) {
  return glp_simplex(problem, static_cast<glp_smcp*>(control));
}

int branch_and_cut(glp_prob* problem, void* control) {
  return glp_intopt(problem, static_cast<glp_iocp*>(control));
}

int milliseconds(double seconds) {
  return static_cast<int>(std::clamp(seconds * 1e3, 1.0, 2e9));
}

[[noreturn]] void give_up(const char* what, int code) {
  throw SolverError(std::string("integer program: GLPK's ") + what + " gave up with code " +
                    std::to_string(code) + "; expected an optimum");
}

GlpkProgram::Answer read_answer(glp_prob* problem, int failure, double bound) {
  GlpkProgram::Answer answer;
  if (failure == GLP_ENOPFS) {
    return answer;  // proved to have no solution
  }
  if (failure == GLP_ENODFS) {
    throw SolverError("integer program: unbounded; expected a finite optimum");
  }
  if (failure != 0 && failure != GLP_ETMLIM && failure != GLP_EMIPGAP) {
    give_up("branch and cut", failure);
  }
  const int status = glp_mip_status(problem);
  const double sign = glp_get_obj_dir(problem) == GLP_MAX ? -1.0 : 1.0;
  answer.feasible = status == GLP_OPT || status == GLP_FEAS;
  answer.certificate = failure == GLP_ETMLIM    ? Certificate::kTimeLimit
                       : failure == GLP_EMIPGAP ? Certificate::kWithinGap
                                                : Certificate::kOptimal;
  answer.bound = bound;
  if (answer.feasible) {
    answer.objective = glp_mip_obj_val(problem);
    if (answer.certificate == Certificate::kOptimal) {
      answer.bound = answer.objective;
    }
    answer.bound = sign * std::min(sign * answer.bound, sign * answer.objective);
    const int columns = glp_get_num_cols(problem);
    answer.values.assign(static_cast<std::size_t>(columns) + 1, 0.0);
    for (int j = 1; j <= columns; ++j) {
      answer.values[static_cast<std::size_t>(j)] = glp_mip_col_val(problem, j);
    }
  }
  return answer;
}

}  // namespace

GlpkProgram::GlpkProgram() : problem_(glp_create_prob()) {
  glp_term_out(GLP_OFF);
}

GlpkProgram::~GlpkProgram() {
  if (problem_ != nullptr) {
    glp_delete_prob(as_problem(problem_));
  }
}

GlpkProgram::GlpkProgram(GlpkProgram&& other) noexcept
    : problem_(std::exchange(other.problem_, nullptr)) {}

GlpkProgram GlpkProgram::parse(std::string_view text) {
  MemoryFile file;
  file.fill(text);
  GlpkProgram program;
  const Messages messages;
  if (glp_read_lp(as_problem(program.problem_), nullptr, file.path().c_str()) != 0) {
    throw InputError(messages.complaint(file.path()) + "; expected CPLEX LP format");
  }
  return program;
}

std::string GlpkProgram::text() const {
  const MemoryFile file;
  if (glp_write_lp(as_problem(problem_), nullptr, file.path().c_str()) != 0) {
    throw RunError("integer program: GLPK did not write it; expected CPLEX LP format");
  }
  return file.text();
}

int GlpkProgram::add_column(const std::string& name, double lower, double upper, double cost) {
  BERTH_CHECK(std::isfinite(lower) && std::isfinite(upper) && std::isfinite(cost) && lower <= upper,
              "bounds of a column are finite and in order");
  const int column = glp_add_cols(as_problem(problem_), 1);
  glp_set_col_name(as_problem(problem_), column, name.c_str());
  glp_set_col_bnds(as_problem(problem_), column, lower < upper ? GLP_DB : GLP_FX, lower, upper);
  glp_set_obj_coef(as_problem(problem_), column, cost);
  return column;
}

int GlpkProgram::add_binary(const std::string& name) {
  const int column = add_column(name, 0.0, 1.0);
  glp_set_col_kind(as_problem(problem_), column, GLP_BV);
  return column;
}

void GlpkProgram::add_row_at_least(double bound, const Terms& terms) {
  BERTH_CHECK(std::isfinite(bound), "the bound of a row is finite");
  std::vector<int> columns = {0};  // GLPK counts from 1
  std::vector<double> values = {0.0};
  for (const auto& [column, value] : terms) {
    BERTH_CHECK(column >= 1 && column <= this->columns() && std::isfinite(value),
                "a term has a known column and a finite coefficient");
    columns.push_back(column);
    values.push_back(value);
  }
  const int row = glp_add_rows(as_problem(problem_), 1);
  glp_set_row_bnds(as_problem(problem_), row, GLP_LO, bound, 0.0);
  glp_set_mat_row(
      as_problem(problem_), row, static_cast<int>(terms.size()), columns.data(), values.data());
}

void GlpkProgram::set_upper(int column, double upper) {
  const double lower = glp_get_col_lb(as_problem(problem_), column);
  BERTH_CHECK(std::isfinite(upper) && lower <= upper, "bounds of a column are in order");
  glp_set_col_bnds(as_problem(problem_), column, lower < upper ? GLP_DB : GLP_FX, lower, upper);
}

int GlpkProgram::columns() const {
  return glp_get_num_cols(as_problem(problem_));
}

int GlpkProgram::rows() const {
  return glp_get_num_rows(as_problem(problem_));
}

int GlpkProgram::binaries() const {
  return glp_get_num_int(as_problem(problem_));
}

std::string GlpkProgram::column_name(int column) const {
  const char* const name = glp_get_col_name(as_problem(problem_), column);
  return name == nullptr ? "x" + std::to_string(column) : name;
}

GlpkProgram::Answer GlpkProgram::solve(const SolverLimits& limits,
                                       const std::vector<double>* incumbent,
                                       const Heuristic& heuristic) {
  const auto start = std::chrono::steady_clock::now();
  const auto left = [&] {
    return limits.seconds -
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (const bool cuts : {true, false}) {
    Answer answer;
    if (try_solve({limits.gap, left()}, incumbent, heuristic, cuts, answer)) {
      return answer;
    }
  }
  throw SolverError("integer program: GLPK failed an assertion of its own; expected an optimum");
}

bool GlpkProgram::try_solve(const SolverLimits& limits,
                            const std::vector<double>* incumbent,
                            const Heuristic& heuristic,
                            bool cuts,
                            Answer& answer) {
  // A copy, which is abandoned where GLPK fails.
  glp_prob* const problem = glp_create_prob();
  glp_copy_prob(problem, as_problem(problem_), GLP_ON);
  const Messages messages;
  const auto start = std::chrono::steady_clock::now();
  const double sign = glp_get_obj_dir(problem) == GLP_MAX ? -1.0 : 1.0;
  Search search{columns(), incumbent, &heuristic, 0.0, false};
  search.bound = -sign * std::numeric_limits<double>::infinity();
  glp_iocp control;
  glp_init_iocp(&control);
  control.msg_lev = GLP_MSG_OFF;
  control.bt_tech = GLP_BT_BPH;
  control.gmi_cuts = cuts ? GLP_ON : GLP_OFF;
  control.mir_cuts = cuts ? GLP_ON : GLP_OFF;
  control.mip_gap = std::max(limits.gap, 1e-9);
  control.cb_func = on_event;
  control.cb_info = &search;
  answer.bound = search.bound;
  answer.certificate = Certificate::kTimeLimit;
  if (incumbent == nullptr) {
    control.presolve = GLP_ON;
  } else {
    glp_smcp settings;
    glp_init_smcp(&settings);
    settings.msg_lev = GLP_MSG_OFF;
    settings.tm_lim = milliseconds(limits.seconds);
    glp_scale_prob(problem, GLP_SF_AUTO);
    glp_adv_basis(problem, 0);
    int failure = without_abort(simplex, problem, &settings);
    if (failure == GLP_EFAIL || failure == GLP_ESING || failure == GLP_ECOND) {
      glp_std_basis(problem);  // numerically hard: once more, another way round
      settings.meth = GLP_DUALP;
      failure = without_abort(simplex, problem, &settings);
    }
    if (failure == kAborted) {
      return false;
    }
    if (failure != 0 && failure != GLP_ETMLIM) {
      give_up("simplex", failure);
    }
    if (glp_get_status(problem) != GLP_OPT) {
      glp_delete_prob(problem);
      return true;  // out of time, or no solution under the cut-off within tolerances
    }
    search.bound = glp_get_obj_val(problem);
  }
  const double spent =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  control.tm_lim = milliseconds(limits.seconds - spent);
  const int failure = without_abort(branch_and_cut, problem, &control);
  if (failure == kAborted) {
    return false;
  }
  answer = read_answer(problem, failure, search.bound);
  glp_delete_prob(problem);
  return true;
}

}  // namespace berth::nest
