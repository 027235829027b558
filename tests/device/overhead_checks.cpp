// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// What an op costs beside its own work: graphs of ops that take no time.

#include "berth/error.hpp"

#include "device_checks.hpp"

namespace berth::device_check {
namespace {

using executors::DispatchMode;
using executors::StreamOptions;

constexpr std::uint32_t kOps = 1000;

/// Ops that take no time: one after the other, or all at once.
std::shared_ptr<const PlacementProblem> empty_ops(bool is_chain, std::uint32_t streams) {
  GraphBuilder builder(is_chain ? "chain" : "independent");
  builder.cost_basis(CostBasis::kTime, 1.0);
  for (std::uint32_t v = 0; v < kOps; ++v) {
    builder.add_op({});
    if (is_chain && v > 0) {
      builder.add_edge(to_id<OpId>(v - 1), to_id<OpId>(v), 0.0);
    }
  }
  ExecutionOptions execution;
  execution.streams = streams;
  return make_problem("empty", builder.freeze(), Topology::uniform(2), execution);
}

/// Microseconds an op, of the median of ten runs.
std::string op_cost(const PlacementProblem& problem,
                    const Placement& placement,
                    const StreamOptions& options) {
  const auto executor = open_executor(problem, options, /*logical=*/true);
  const Measurement found = executor->measure(placement, {2, 10, 60.0});
  return found.status == RolloutStatus::kOk ? words("%.2f", 1e6 * found.median_seconds / kOps)
                                            : found.reason;
}

}  // namespace

void check_overhead(CheckTable& table) {
  StreamOptions untimed;
  untimed.op_times = false;
  StreamOptions ready = untimed;
  ready.dispatch = DispatchMode::kReady;
  StreamOptions graphs = untimed;
  graphs.graphs = true;
  Placement one;
  one.device.assign(kOps, to_id<DeviceId>(0));
  Placement turns = one;
  for (std::uint32_t v = 1; v < kOps; v += 2) {
    turns.device[v] = to_id<DeviceId>(1);
  }
  const auto row = [&](const char* name, const auto& problem, const Placement& placement) {
    table.tell(std::string("us an op, ") + name,
               "ahead " + op_cost(*problem, placement, untimed) + ", timed " +
                   op_cost(*problem, placement, {}) + ", ready " +
                   op_cost(*problem, placement, ready) + ", graphs " +
                   op_cost(*problem, placement, graphs));
  };
  row("chain", empty_ops(true, 1), one);
  row("chain with transfers", empty_ops(true, 1), turns);
  row("4 streams", empty_ops(false, 4), one);
}

}  // namespace berth::device_check
