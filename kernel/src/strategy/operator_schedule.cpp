// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>

#include "berth/error.hpp"
#include "berth/operator_scheduler.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

constexpr double kRelativeTolerance = 1e-9;

[[noreturn]] void refuse(const OperatorGraph& graph, const std::string& what) {
  throw InputError(graph.name + ": " + what);
}

std::string label(const OperatorGraph& graph, std::size_t v) {
  const std::string& name = graph.operators[v].name;
  return "operator " + std::to_string(v) + (name.empty() ? "" : " (" + name + ")");
}

double best_seconds(const LayerOperator& op) {
  return std::min(op.one_core_seconds, op.all_cores_seconds);
}

bool uses(const LayerOperator& op, OperatorCore kind) {
  return op.core == kind || op.core == OperatorCore::kBoth;
}

double core_work(const OperatorGraph& graph, OperatorCore kind, double cores) {
  double work = 0.0;
  for (const LayerOperator& op : graph.operators) {
    if (uses(op, kind)) {
      work += std::min(op.one_core_seconds, cores * op.all_cores_seconds) / cores;
    }
  }
  return work;
}

double length(const OperatorGraph& graph, const OperatorSchedule& schedule, std::size_t v) {
  const LayerOperator& op = graph.operators[v];
  return schedule.exclusive[v] != 0 ? op.all_cores_seconds : op.one_core_seconds;
}

// How many operators run beside v at the moment it starts, v itself included. The set of running
// operators grows at starts alone, so these moments are enough.
void check_start(const OperatorGraph& graph,
                 const OperatorSchedule& schedule,
                 std::size_t v,
                 double tolerance) {
  if (length(graph, schedule, v) <= tolerance) {
    return;  // takes no time, so it occupies nothing
  }
  std::uint32_t matrix = 0;
  std::uint32_t vector = 0;
  std::uint32_t running = 0;
  std::uint32_t alone = 0;
  const double now = schedule.start_seconds[v] + tolerance;
  for (std::size_t u = 0; u < graph.operators.size(); ++u) {
    const double end = schedule.start_seconds[u] + length(graph, schedule, u);
    if (schedule.start_seconds[u] <= now && end > now) {
      ++running;
      alone += schedule.exclusive[u] != 0 ? 1U : 0U;
      matrix += uses(graph.operators[u], OperatorCore::kMatrix) ? 1U : 0U;
      vector += uses(graph.operators[u], OperatorCore::kVector) ? 1U : 0U;
    }
  }
  if (alone > 0 && running > 1) {
    refuse(graph, label(graph, v) + " runs beside an operator that needs all cores");
  }
  if (matrix > graph.matrix_cores || vector > graph.vector_cores) {
    refuse(graph,
           std::to_string(matrix) + " matrix and " + std::to_string(vector) +
               " vector cores are taken when " + label(graph, v) + " starts; expected at most " +
               std::to_string(graph.matrix_cores) + " and " + std::to_string(graph.vector_cores));
  }
}

}  // namespace

void check_operators(const OperatorGraph& graph) {
  if (graph.operators.empty()) {
    refuse(graph, "no operators; expected one or more");
  }
  if (graph.matrix_cores == 0 || graph.vector_cores == 0) {
    refuse(graph, "no cores of a kind; expected one or more of both");
  }
  for (std::size_t v = 0; v < graph.operators.size(); ++v) {
    for (const double seconds :
         {graph.operators[v].one_core_seconds, graph.operators[v].all_cores_seconds}) {
      if (!std::isfinite(seconds) || seconds < 0.0) {
        refuse(graph, label(graph, v) + ": not a finite time of zero or more");
      }
    }
  }
  for (const auto& [from, to] : graph.edges) {
    if (from >= to || to >= graph.operators.size()) {
      refuse(graph,
             "edge " + std::to_string(from) + " -> " + std::to_string(to) +
                 "; expected operators of the graph, numbered along the edges");
    }
  }
}

double operator_bound(const OperatorGraph& graph) {
  std::vector<double> tail(graph.operators.size(), 0.0);
  auto edges = graph.edges;
  std::sort(edges.begin(), edges.end());
  double longest = 0.0;
  auto edge = edges.rbegin();
  for (std::size_t v = graph.operators.size(); v-- > 0;) {
    for (; edge != edges.rend() && edge->first == v; ++edge) {
      tail[v] = std::max(tail[v], tail[edge->second]);
    }
    tail[v] += best_seconds(graph.operators[v]);
    longest = std::max(longest, tail[v]);
  }
  return std::max({longest,
                   core_work(graph, OperatorCore::kMatrix, graph.matrix_cores),
                   core_work(graph, OperatorCore::kVector, graph.vector_cores)});
}

double sequential_seconds(const OperatorGraph& graph) {
  double sum = 0.0;
  for (const LayerOperator& op : graph.operators) {
    sum += op.all_cores_seconds;
  }
  return sum;
}

void check_operator_schedule(const OperatorGraph& graph, const OperatorSchedule& schedule) {
  const std::size_t count = graph.operators.size();
  if (schedule.start_seconds.size() != count || schedule.exclusive.size() != count) {
    refuse(graph, "a schedule of another number of operators");
  }
  double end = 0.0;
  for (std::size_t v = 0; v < count; ++v) {
    if (!std::isfinite(schedule.start_seconds[v]) || schedule.start_seconds[v] < 0.0) {
      refuse(graph, label(graph, v) + " starts at no finite time of zero or more");
    }
    end = std::max(end, schedule.start_seconds[v] + length(graph, schedule, v));
  }
  const double tolerance = kRelativeTolerance * end;
  if (!(std::abs(schedule.makespan_seconds - end) <= tolerance)) {
    refuse(graph,
           "a makespan of " + std::to_string(schedule.makespan_seconds) +
               " s; expected the last end, " + std::to_string(end) + " s");
  }
  if (!(schedule.lower_bound_seconds <= end + tolerance)) {
    refuse(graph, "a lower bound above the makespan");
  }
  for (const auto& [from, to] : graph.edges) {
    const double ready = schedule.start_seconds[from] + length(graph, schedule, from);
    if (schedule.start_seconds[to] < ready - tolerance) {
      refuse(graph, label(graph, to) + " starts before " + label(graph, from) + " has ended");
    }
  }
  for (std::size_t v = 0; v < count; ++v) {
    check_start(graph, schedule, v, tolerance);
  }
}

}  // namespace abi_v1
}  // namespace berth
