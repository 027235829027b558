// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execution_plan.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "berth/error.hpp"

namespace berth::executors {
namespace {

Discipline resolve(const PlacementProblem& problem, const Placement& placement) {
  const Discipline asked = problem.execution.discipline;
  if (asked != Discipline::kAuto) {
    return asked;
  }
  return placement.order.empty() ? Discipline::kFifo : Discipline::kStaticOrder;
}

/// The transfers of one op, by destination; `consumers` are edges.
void add_transfers(const PlacementProblem& problem, std::uint32_t op, ExecutionPlan& plan) {
  const Graph& graph = problem.graph;
  const std::size_t begin = plan.transfers.size();
  const std::uint32_t from = plan.device[op];
  for (std::uint64_t e = graph.out_offsets()[op]; e < graph.out_offsets()[op + 1]; ++e) {
    const auto consumer = static_cast<std::uint32_t>(graph.out_targets()[e]);
    const std::uint32_t to = plan.device[consumer];
    if (to == from) {
      continue;
    }
    const double duration =
        problem.costs.transfer(graph.edge_size()[e], to_id<DeviceId>(from), to_id<DeviceId>(to));
    const auto first = plan.transfers.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto found = std::find_if(
        first, plan.transfers.end(), [to](const auto& transfer) { return transfer.to == to; });
    if (found == plan.transfers.end()) {
      plan.transfers.push_back({op, consumer, from, to, duration});
    } else {
      found->duration = std::max(found->duration, duration);
    }
  }
  std::sort(plan.transfers.begin() + static_cast<std::ptrdiff_t>(begin),
            plan.transfers.end(),
            [](const auto& a, const auto& b) { return a.to < b.to; });
}

/// Fills pending, sources and the rows of `out`.
void connect(const Graph& graph, ExecutionPlan& plan) {
  const std::size_t ops = plan.num_ops;
  plan.out_begin.push_back(0);
  std::size_t next_transfer = 0;
  for (std::uint32_t v = 0; v < ops; ++v) {
    const std::size_t begin = plan.out.size();
    for (const OpId consumer : graph.successors(to_id<OpId>(v))) {
      if (plan.device[index(consumer)] == plan.device[v]) {
        plan.out.push_back(static_cast<std::uint32_t>(consumer));
      }
    }
    std::sort(plan.out.begin() + static_cast<std::ptrdiff_t>(begin), plan.out.end());
    for (; next_transfer < plan.transfers.size() && plan.transfers[next_transfer].producer == v;
         ++next_transfer) {
      plan.out.push_back(static_cast<std::uint32_t>(ops + next_transfer));
    }
    plan.out_begin.push_back(static_cast<std::uint32_t>(plan.out.size()));
  }
  for (const ExecutionPlan::Transfer& transfer : plan.transfers) {
    const std::size_t begin = plan.out.size();
    for (const OpId consumer : graph.successors(to_id<OpId>(transfer.producer))) {
      if (plan.device[index(consumer)] == transfer.to) {
        plan.out.push_back(static_cast<std::uint32_t>(consumer));
      }
    }
    std::sort(plan.out.begin() + static_cast<std::ptrdiff_t>(begin), plan.out.end());
    plan.out_begin.push_back(static_cast<std::uint32_t>(plan.out.size()));
  }
  plan.pending.assign(plan.num_tasks(), 0);
  for (const std::uint32_t task : plan.out) {
    ++plan.pending[task];
  }
  for (std::uint32_t v = 0; v < ops; ++v) {
    if (plan.pending[v] == 0) {
      plan.sources.push_back(v);
    }
  }
}

/// Plays the order without times: each device takes its ops in order, as soon as they are ready.
void check_static_order(const PlacementProblem& problem, const ExecutionPlan& plan) {
  std::vector<std::vector<std::uint32_t>> sequence(plan.num_devices);
  for (std::uint32_t v = 0; v < plan.num_ops; ++v) {
    sequence[plan.device[v]].push_back(v);
  }
  for (auto& ops : sequence) {
    std::stable_sort(ops.begin(), ops.end(), [&plan](std::uint32_t a, std::uint32_t b) {
      return plan.order[a] < plan.order[b];
    });
  }
  std::vector<std::uint32_t> pending = plan.pending;
  std::vector<std::size_t> at(plan.num_devices, 0);
  std::vector<std::uint32_t> stack;
  const auto end = [&](std::uint32_t task) {
    for (const std::uint32_t next : plan.successors(task)) {
      if (--pending[next] == 0 && plan.is_transfer(next)) {
        stack.push_back(next);
      }
    }
  };
  std::size_t done = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t d = 0; d < plan.num_devices; ++d) {
      while (at[d] < sequence[d].size() && pending[sequence[d][at[d]]] == 0) {
        end(sequence[d][at[d]++]);
        ++done;
        moved = true;
        while (!stack.empty()) {
          const std::uint32_t transfer = stack.back();
          stack.pop_back();
          end(transfer);
        }
      }
    }
  }
  for (std::size_t d = 0; d < plan.num_devices && done < plan.num_ops; ++d) {
    if (at[d] < sequence[d].size()) {
      throw InputError("placement: the static order of '" + problem.graph.name() +
                       "' deadlocks: device '" + problem.topology.device(to_id<DeviceId>(d)).name +
                       "' waits for " + problem.graph.op_name(to_id<OpId>(sequence[d][at[d]])) +
                       "; expected an order that follows the edges");
    }
  }
}

}  // namespace

std::uint32_t ExecutionPlan::transfer_task(std::uint32_t producer,
                                           std::uint32_t to) const noexcept {
  const auto found = std::lower_bound(
      transfers.begin(), transfers.end(), std::pair(producer, to), [](const Transfer& a, auto key) {
        return std::pair(a.producer, a.to) < key;
      });
  return static_cast<std::uint32_t>(num_ops + static_cast<std::size_t>(found - transfers.begin()));
}

ExecutionPlan make_execution_plan(const PlacementProblem& problem, const Placement& placement) {
  check_assignment(problem, placement);
  ExecutionPlan plan;
  plan.num_ops = problem.graph.num_ops();
  plan.num_devices = problem.topology.num_devices();
  for (const DeviceId device : placement.device) {
    plan.device.push_back(static_cast<std::uint32_t>(device));
  }
  for (std::uint32_t v = 0; v < plan.num_ops; ++v) {
    add_transfers(problem, v, plan);
  }
  for (const ExecutionPlan::Transfer& transfer : plan.transfers) {
    plan.device.push_back(transfer.to);
  }
  connect(problem.graph, plan);
  plan.discipline = resolve(problem, placement);
  if (plan.discipline != Discipline::kFifo) {
    plan.order = placement.order;
    plan.order.resize(plan.num_ops, 0.0);
  }
  if (plan.discipline == Discipline::kStaticOrder) {
    check_static_order(problem, plan);
  }
  return plan;
}

}  // namespace berth::executors
