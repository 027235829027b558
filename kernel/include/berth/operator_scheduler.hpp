// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// Which cores of an accelerator an operator needs.
enum class OperatorCore : std::uint8_t {
  kMatrix,  ///< One matrix (tensor) core.
  kVector,  ///< One vector core.
  kBoth,    ///< One of each at once.
};

/// One operator of a layer. It runs either on one core of its kind, others beside it, or alone on
/// all cores of the accelerator.
struct LayerOperator {
  std::string name;  ///< For people; may be empty.
  OperatorCore core = OperatorCore::kMatrix;
  double one_core_seconds = 0.0;
  double all_cores_seconds = 0.0;
};

/// The operators of one pass of one layer on one accelerator (Nest 2026, sec. on per-layer
/// scheduling): a DAG in topological order.
struct OperatorGraph {
  std::string name;
  std::uint32_t matrix_cores = 1;
  std::uint32_t vector_cores = 1;
  std::vector<LayerOperator> operators;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  ///< from < to
};

/// How far a solver goes.
struct SolverLimits {
  double gap = 0.0;       ///< Relative gap between makespan and lower bound that is good enough.
  double seconds = 10.0;  ///< Of wall time for the integer program; what is found counts.
};

/// Why a solver stopped.
enum class Certificate : std::uint8_t {
  kOptimal,    ///< Nothing better exists, within 1e-7 relative.
  kWithinGap,  ///< Within the gap that was asked for.
  kTimeLimit,  ///< Neither, when the time was up.
};

/// A schedule of an OperatorGraph.
struct OperatorSchedule {
  std::vector<double> start_seconds;    ///< [operators]
  std::vector<std::uint8_t> exclusive;  ///< [operators] 1: alone on all cores.
  double makespan_seconds = 0.0;
  double lower_bound_seconds = 0.0;  ///< No schedule is shorter.
  double list_seconds = 0.0;         ///< Makespan of the list schedule that the search began with.
  Certificate certificate = Certificate::kOptimal;
  std::string note;  ///< What the solver did, for people; may be empty.
};

/// Answer to an integer program of the caller's own.
struct ProgramAnswer {
  bool feasible = false;
  double objective = 0.0;
  double bound = 0.0;  ///< On the objective.
  Certificate certificate = Certificate::kOptimal;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t binaries = 0;
  std::vector<std::pair<std::string, double>> values;  ///< By the program's names, in its order.
};

/// Schedules the operators of one layer: `berth.operators/1`.
class BERTH_API OperatorScheduler {
 public:
  static constexpr std::string_view kInterface = "berth.operators/1";

  OperatorScheduler() = default;
  OperatorScheduler(const OperatorScheduler&) = delete;
  OperatorScheduler& operator=(const OperatorScheduler&) = delete;
  virtual ~OperatorScheduler();

  /// The shortest schedule found within the limits of a graph that passed check_operators().
  /// Deterministic but for what the time limit cuts off.
  [[nodiscard]] virtual OperatorSchedule schedule(const OperatorGraph& graph,
                                                  const SolverLimits& limits) = 0;

  /// The integer program of a graph in CPLEX LP format, times in microseconds.
  [[nodiscard]] virtual std::string program(const OperatorGraph& graph) = 0;

  /// Solves a program in CPLEX LP format. @throws InputError "line: found" if it is none.
  [[nodiscard]] virtual ProgramAnswer solve(std::string_view program,
                                            const SolverLimits& limits) = 0;
};

/// @throws InputError naming graph and operator: no operator, a time that is negative or not
///         finite, an edge to an operator that does not exist or that does not go forward, no core.
BERTH_API void check_operators(const OperatorGraph& graph);

/// Longest path with every operator at its better time; work of either kind of core, an operator
/// counting min(one core, cores x all cores) / cores: the largest of the three, which no schedule
/// undercuts. Cost O(operators + edges).
[[nodiscard]] BERTH_API double operator_bound(const OperatorGraph& graph);

/// Sum of the all-core times: operators one after the other.
[[nodiscard]] BERTH_API double sequential_seconds(const OperatorGraph& graph);

/// Plays a schedule: every operator after its predecessors, never more operators of a kind than
/// cores, exclusive ones alone, the makespan the last end. Tolerance 1e-9 of the makespan.
/// @throws InputError naming graph and operator. Cost O(operators^2).
BERTH_API void check_operator_schedule(const OperatorGraph& graph,
                                       const OperatorSchedule& schedule);

}  // namespace abi_v1
}  // namespace berth
