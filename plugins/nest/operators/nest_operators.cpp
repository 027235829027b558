// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "nest_operators.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "glpk_program.hpp"
#include "list_schedule.hpp"
#include "operator_program.hpp"
#include "scheduling_program.hpp"

namespace berth::nest {
namespace {

constexpr double kSameMakespan =
    1e-7;  // relative: makespans of microseconds, tolerances of simplex

class Clock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class NestOperatorScheduler final : public OperatorScheduler {
 public:
  OperatorSchedule schedule(const OperatorGraph& graph, const SolverLimits& limits) override {
    const Clock clock;
    const OperatorOrder order = order_of(graph);
    OperatorSchedule best = improved_list_schedule(graph, order);
    best.lower_bound_seconds = std::min(operator_bound(graph), best.makespan_seconds);
    best.note = "list schedule";
    std::size_t rounds = 0;
    OperatorProgram model(graph, order, best.makespan_seconds);
    while (!settled(best, limits) && limits.seconds > clock.seconds()) {
      best.note = "list schedule, integer program";
      improve(graph, order, model, best, {limits.gap, limits.seconds - clock.seconds()});
      if (!more_) {
        break;
      }
      ++rounds;
    }
    const double gap = best.makespan_seconds - best.lower_bound_seconds;
    best.certificate = gap <= kSameMakespan * best.makespan_seconds ? Certificate::kOptimal
                       : settled(best, limits)                      ? Certificate::kWithinGap
                                                                    : Certificate::kTimeLimit;
    if (rounds > 0) {
      best.note += ", core counts enforced in " + std::to_string(rounds) + " rounds";
    }
    return best;
  }

  std::string program(const OperatorGraph& graph) override {
    const OperatorOrder order = order_of(graph);
    const OperatorSchedule list = improved_list_schedule(graph, order);
    return OperatorProgram(graph, order, list.makespan_seconds).program().text();
  }

  ProgramAnswer solve(std::string_view text, const SolverLimits& limits) override {
    GlpkProgram program = GlpkProgram::parse(text);
    const Clock clock;
    std::optional<GlpkProgram::Answer> schedule = solve_as_graph(program, limits);
    const GlpkProgram::Answer found =
        schedule ? std::move(*schedule)
                 : program.solve({limits.gap, std::max(0.0, limits.seconds - clock.seconds())});
    ProgramAnswer answer;
    answer.feasible = found.feasible;
    answer.objective = found.objective;
    answer.bound = found.bound;
    answer.certificate = found.certificate;
    answer.rows = static_cast<std::uint64_t>(program.rows());
    answer.columns = static_cast<std::uint64_t>(program.columns());
    answer.binaries = static_cast<std::uint64_t>(program.binaries());
    for (int j = 1; found.feasible && j <= program.columns(); ++j) {
      answer.values.emplace_back(program.column_name(j), found.values[static_cast<std::size_t>(j)]);
    }
    return answer;
  }

 private:
  // A program that schedules operators: by way of its graph. Nothing if it is none, or if the
  // schedule does not satisfy every row of it.
  std::optional<GlpkProgram::Answer> solve_as_graph(const GlpkProgram& program,
                                                    const SolverLimits& limits) {
    const auto scheduling = SchedulingProgram::read(program);
    if (!scheduling) {
      return std::nullopt;
    }
    const OperatorSchedule best = schedule(scheduling->graph(), limits);
    GlpkProgram::Answer answer;
    answer.feasible = true;
    answer.objective = best.makespan_seconds * kMicroseconds;
    answer.bound = best.lower_bound_seconds * kMicroseconds;
    answer.certificate = best.certificate;
    answer.values = scheduling->values_of(best);
    if (program.violation(answer.values) > 1e-6) {
      return std::nullopt;
    }
    return answer;
  }

  static bool settled(const OperatorSchedule& best, const SolverLimits& limits) {
    const double allowed = std::max(limits.gap, kSameMakespan) * best.lower_bound_seconds;
    return best.makespan_seconds - best.lower_bound_seconds <= allowed;
  }

  // A list schedule in the order of the relaxation's start times, if it is the best so far.
  static void try_starts(const OperatorGraph& graph,
                         const OperatorOrder& order,
                         const OperatorProgram& model,
                         std::span<const double> values,
                         OperatorSchedule& best) {
    std::vector<double> priority = model.starts_in(values);
    for (double& start : priority) {
      start = -start;
    }
    const std::vector<std::uint8_t> alone = model.alone_in(values);
    for (const std::span<const double> ranks :
         {std::span<const double>(priority), std::span<const double>(order.tail)}) {
      const OperatorSchedule found = list_schedule(graph, order, alone, ranks);
      if (found.makespan_seconds < best.makespan_seconds) {
        best.start_seconds = found.start_seconds;
        best.exclusive = found.exclusive;
        best.makespan_seconds = found.makespan_seconds;
      }
    }
  }

  // One run of branch and cut. more_: its optimum breaks a core count and the program now knows.
  void improve(const OperatorGraph& graph,
               const OperatorOrder& order,
               OperatorProgram& model,
               OperatorSchedule& best,
               const SolverLimits& limits) {
    const std::vector<double> incumbent = model.values_of(best);
    const auto heuristic =
        [&](std::span<const double> values) -> std::optional<std::vector<double>> {
      const double before = best.makespan_seconds;
      try_starts(graph, order, model, values, best);
      if (best.makespan_seconds < before) {
        return model.values_of(best);
      }
      return std::nullopt;
    };
    const GlpkProgram::Answer answer = model.program().solve(limits, &incumbent, heuristic);
    more_ = false;
    if (answer.feasible) {
      try_starts(graph, order, model, answer.values, best);
      more_ = answer.certificate != Certificate::kTimeLimit && model.forbid(answer.values) > 0;
    }
    // Without core counts the program is a relaxation: its bound holds.
    best.lower_bound_seconds =
        std::clamp(answer.bound / kMicroseconds, best.lower_bound_seconds, best.makespan_seconds);
  }

  bool more_ = false;
};

}  // namespace

std::unique_ptr<OperatorScheduler> make_operator_scheduler() {
  return std::make_unique<NestOperatorScheduler>();
}

std::unique_ptr<OperatorScheduler> make_operator_scheduler(const HostServices& /*host*/) {
  return make_operator_scheduler();
}

}  // namespace berth::nest
