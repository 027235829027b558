// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/simulator.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <vector>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {

/// Event list of finishes and arrivals for `delay`: at each instant all completions first, then
/// every idle device starts the waiting op that its discipline prefers.
class Simulator::Engine {
 public:
  explicit Engine(const PlacementProblem& problem) : problem_(problem) {}

  double run(std::span<const DeviceId> device, std::span<const double> order, Trace* trace) {
    const Graph& graph = problem_.graph;
    const std::size_t n = graph.num_ops();
    Discipline discipline = problem_.execution.discipline;
    if (discipline == Discipline::kAuto) {
      discipline = order.empty() ? Discipline::kFifo : Discipline::kStaticOrder;
    }
    struct Key {
      double first, second;
      std::size_t op;
      bool operator<(const Key& o) const {
        return std::tie(first, second, op) > std::tie(o.first, o.second, o.op);
      }
    };
    const std::size_t devices = problem_.topology.num_devices();
    std::vector<std::priority_queue<Key>> waiting(devices);
    std::vector<std::vector<std::size_t>> sequence(devices);
    std::vector<std::size_t> position(devices, 0);
    std::vector<char> ready_flag(n, 0);
    std::vector<double> ready(n, 0.0);
    std::vector<std::size_t> missing(n);
    std::vector<std::uint32_t> idle(devices, problem_.execution.streams);
    struct Event {
      double time;
      int kind;  // 0 finish, 1 ready
      std::size_t op;
      bool operator<(const Event& o) const {
        return std::tie(time, kind, op) > std::tie(o.time, o.kind, o.op);
      }
    };
    std::priority_queue<Event> events;
    std::vector<double> resident(devices, 0.0);
    for (std::size_t v = 0; v < n; ++v) {
      if (!problem_.costs.can_run(to_id<OpId>(v), device[v])) {
        return std::numeric_limits<double>::infinity();
      }
      resident[index(device[v])] += graph.memory_bytes()[v];
      missing[v] = graph.predecessors(to_id<OpId>(v)).size();
      if (missing[v] == 0) {
        events.push({0.0, 1, v});
      }
      sequence[index(device[v])].push_back(v);
    }
    for (std::size_t d = 0; d < devices; ++d) {
      if (resident[d] > problem_.costs.device_memory[d]) {
        return std::numeric_limits<double>::infinity();
      }
      if (discipline == Discipline::kStaticOrder) {
        std::stable_sort(sequence[d].begin(), sequence[d].end(), [&](std::size_t a, std::size_t b) {
          return order[a] < order[b];
        });
      }
    }
    double makespan = 0.0;
    std::size_t done = 0;
    if (trace != nullptr) {
      trace->ops.resize(n);
      trace->seconds_per_unit = problem_.costs.seconds_per_unit;
    }
    const auto start = [&](std::size_t v, double now) {
      const double finish = now + problem_.costs.compute(to_id<OpId>(v), device[v]);
      events.push({finish, 0, v});
      if (trace != nullptr) {
        trace->ops[v] = {to_id<OpId>(v), device[v], 0, ready[v], now, finish};
      }
    };
    while (!events.empty()) {
      const double now = events.top().time;
      while (!events.empty() && events.top().time == now) {
        const Event event = events.top();
        events.pop();
        const std::size_t v = event.op;
        const std::size_t d = index(device[v]);
        if (event.kind == 1) {
          ready_flag[v] = 1;
          const double priority = discipline == Discipline::kPriority ? order[v] : 0.0;
          waiting[d].push({priority, ready[v], v});
          continue;
        }
        ++done;
        ++idle[d];
        makespan = std::max(makespan, now);
        for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
          const std::size_t w = index(graph.out_targets()[e]);
          const double arrival =
              now + problem_.costs.transfer(graph.edge_size()[e], device[v], device[w]);
          ready[w] = std::max(ready[w], arrival);
          if (trace != nullptr && device[v] != device[w]) {
            trace->transfers.push_back(
                {to_id<OpId>(v), to_id<OpId>(w), device[v], device[w], now, now, arrival});
          }
          if (--missing[w] == 0) {
            events.push({ready[w], 1, w});
          }
        }
      }
      for (std::size_t d = 0; d < devices; ++d) {
        if (discipline == Discipline::kStaticOrder) {
          while (idle[d] > 0 && position[d] < sequence[d].size() &&
                 ready_flag[sequence[d][position[d]]] != 0) {
            --idle[d];
            start(sequence[d][position[d]++], now);
          }
          continue;
        }
        while (idle[d] > 0 && !waiting[d].empty()) {
          --idle[d];
          const std::size_t v = waiting[d].top().op;
          waiting[d].pop();
          start(v, now);
        }
      }
    }
    if (trace != nullptr) {
      trace->makespan = makespan;
    }
    return done == n ? makespan : std::numeric_limits<double>::infinity();
  }

  const PlacementProblem& problem_;
};

Simulator::Simulator(const PlacementProblem& problem)
    : engine_(std::make_unique<Engine>(problem)) {}
Simulator::~Simulator() = default;

double Simulator::makespan(std::span<const DeviceId> device) {
  return makespan(device, {});
}

double Simulator::makespan(std::span<const DeviceId> device, std::span<const double> order) {
  return engine_->run(device, order, nullptr);
}

double Simulator::makespan(const Placement& placement) {
  check_placement(engine_->problem_, placement);
  return engine_->run(placement.device, placement.order, nullptr);
}

Trace Simulator::trace(const Placement& placement) {
  check_placement(engine_->problem_, placement);
  Trace trace;
  const double makespan = engine_->run(placement.device, placement.order, &trace);
  if (makespan == std::numeric_limits<double>::infinity()) {
    throw InputError("placement: its static order deadlocks");
  }
  return trace;
}

}  // namespace abi_v1
}  // namespace berth
