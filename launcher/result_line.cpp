// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "result_line.hpp"

#include <cstdio>
#include <limits>

namespace berth::launcher {

double gap_of(const PlacementProblem& problem, double makespan, double lower_bound) {
  const double reference = problem.optimum.value_or(lower_bound);
  if (reference > 0.0) {
    return makespan / reference - 1.0;
  }
  return makespan > reference ? std::numeric_limits<double>::infinity() : 0.0;
}

nlohmann::ordered_json problem_line(const PlacementProblem& problem,
                                    double makespan,
                                    double lower_bound) {
  nlohmann::ordered_json line;
  line["graph"] = problem.name;
  line["model"] = name_of(problem.execution.model);
  line["makespan"] = makespan;
  line["makespan_seconds"] = makespan * problem.costs.seconds_per_unit;
  line["lower_bound"] = lower_bound;
  if (problem.optimum) {
    line["optimum"] = *problem.optimum;
  }
  line["gap"] = gap_of(problem, makespan, lower_bound);
  line["ops"] = problem.graph.num_ops();
  line["devices"] = problem.topology.num_devices();
  return line;
}

nlohmann::ordered_json result_line(const PlacementProblem& problem, const PlacementResult& result) {
  nlohmann::ordered_json line = problem_line(problem, result.makespan, result.lower_bound);
  line["policy"] = result.policy;
  line["simulations"] = result.simulations;
  line["seconds"] = result.seconds;
  line["placement_hash"] = hex(result.placement_hash);
  return line;
}

std::string hex(std::uint64_t value) {
  char buffer[17];
  std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(value));
  return buffer;
}

}  // namespace berth::launcher
