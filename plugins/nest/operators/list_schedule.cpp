// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "list_schedule.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace berth::nest {
namespace {

// What runs at one moment.
class Accelerator {
 public:
  explicit Accelerator(const OperatorGraph& graph) : graph_(graph) {}

  [[nodiscard]] bool idle() const { return running_.empty(); }
  [[nodiscard]] bool has_core(const LayerOperator& op) const {
    return !alone_ && (!uses(op, OperatorCore::kMatrix) || matrix_ < graph_.matrix_cores) &&
           (!uses(op, OperatorCore::kVector) || vector_ < graph_.vector_cores);
  }
  void start(std::uint32_t v, double end, bool alone) {
    running_.push_back({end, v});
    alone_ = alone;
    count(v, 1);
  }
  [[nodiscard]] double next_end() const {
    return std::min_element(running_.begin(), running_.end())->first;
  }
  // Operators that end now, by number.
  std::vector<std::uint32_t> finish(double now) {
    std::vector<std::uint32_t> ended;
    std::erase_if(running_, [&](const auto& run) {
      if (run.first <= now) {
        ended.push_back(run.second);
        return true;
      }
      return false;
    });
    for (const std::uint32_t v : ended) {
      count(v, -1);
    }
    alone_ = alone_ && !running_.empty();
    std::sort(ended.begin(), ended.end());
    return ended;
  }

 private:
  void count(std::uint32_t v, int change) {
    const LayerOperator& op = graph_.operators[v];
    const auto by = static_cast<std::uint32_t>(change);  // wraps around for -1
    matrix_ += uses(op, OperatorCore::kMatrix) ? by : 0U;
    vector_ += uses(op, OperatorCore::kVector) ? by : 0U;
  }

  const OperatorGraph& graph_;
  std::vector<std::pair<double, std::uint32_t>> running_;  // (end, operator)
  std::uint32_t matrix_ = 0;
  std::uint32_t vector_ = 0;
  bool alone_ = false;
};

}  // namespace

OperatorOrder order_of(const OperatorGraph& graph) {
  const std::size_t count = graph.operators.size();
  OperatorOrder order;
  order.successors.resize(count);
  order.predecessors.resize(count);
  order.head.assign(count, 0.0);
  order.tail.assign(count, 0.0);
  order.reaches.assign(count, std::vector<bool>(count, false));
  std::vector<std::vector<std::uint32_t>> direct(count);
  for (const auto& [from, to] : graph.edges) {
    direct[from].push_back(to);
  }
  const auto best = [&](std::size_t v) {
    return std::min(graph.operators[v].one_core_seconds, graph.operators[v].all_cores_seconds);
  };
  for (std::size_t v = count; v-- > 0;) {
    // Nearest successors first, so that those they reach are seen to be transitive.
    std::sort(direct[v].begin(), direct[v].end());
    for (const std::uint32_t to : direct[v]) {
      if (!order.reaches[v][to]) {
        order.successors[v].push_back(to);
        order.reaches[v][to] = true;
        for (std::size_t w = 0; w < count; ++w) {
          order.reaches[v][w] = order.reaches[v][w] || order.reaches[to][w];
        }
      }
      order.tail[v] = std::max(order.tail[v], order.tail[to]);
    }
    order.tail[v] += best(v);
  }
  for (std::uint32_t v = 0; v < count; ++v) {
    for (const std::uint32_t to : order.successors[v]) {
      order.predecessors[to].push_back(v);
      order.head[to] = std::max(order.head[to], order.head[v] + best(v));
    }
  }
  return order;
}

std::vector<std::uint8_t> wants_all_cores(const OperatorGraph& graph) {
  std::vector<std::uint8_t> alone;
  for (const LayerOperator& op : graph.operators) {
    alone.push_back(op.all_cores_seconds < op.one_core_seconds ? 1 : 0);
  }
  return alone;
}

OperatorSchedule list_schedule(const OperatorGraph& graph,
                               const OperatorOrder& order,
                               std::span<const std::uint8_t> alone,
                               std::span<const double> priority) {
  const std::size_t count = graph.operators.size();
  OperatorSchedule schedule;
  schedule.start_seconds.assign(count, 0.0);
  schedule.exclusive.assign(alone.begin(), alone.end());
  std::vector<std::uint32_t> waits(count);
  std::vector<std::uint32_t> ready;
  const auto before = [&](std::uint32_t u, std::uint32_t v) {
    return priority[u] != priority[v] ? priority[u] > priority[v] : u < v;
  };
  const auto release = [&](std::uint32_t v) {
    ready.insert(std::upper_bound(ready.begin(), ready.end(), v, before), v);
  };
  for (std::uint32_t v = 0; v < count; ++v) {
    waits[v] = static_cast<std::uint32_t>(order.predecessors[v].size());
    if (waits[v] == 0) {
      release(v);
    }
  }
  Accelerator accelerator(graph);
  double now = 0.0;
  for (std::size_t done = 0; done < count;) {
    for (std::size_t k = 0; k < ready.size();) {
      const std::uint32_t v = ready[k];
      const LayerOperator& op = graph.operators[v];
      const bool starts = alone[v] != 0 ? accelerator.idle() : accelerator.has_core(op);
      if (!starts && alone[v] != 0 && k == 0) {
        break;  // first in line: nothing may start until it can
      }
      if (!starts) {
        ++k;
        continue;
      }
      schedule.start_seconds[v] = now;
      const double length = alone[v] != 0 ? op.all_cores_seconds : op.one_core_seconds;
      accelerator.start(v, now + length, alone[v] != 0);
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(k));
    }
    now = accelerator.next_end();
    for (const std::uint32_t v : accelerator.finish(now)) {
      ++done;
      for (const std::uint32_t to : order.successors[v]) {
        if (--waits[to] == 0) {
          release(to);
        }
      }
    }
  }
  schedule.makespan_seconds = now;
  return schedule;
}

OperatorSchedule improved_list_schedule(const OperatorGraph& graph, const OperatorOrder& order) {
  std::vector<std::uint8_t> alone = wants_all_cores(graph);
  OperatorSchedule best = list_schedule(graph, order, alone, order.tail);
  best.list_seconds = best.makespan_seconds;
  const double bound = operator_bound(graph);
  for (bool better = true; better && best.makespan_seconds > bound;) {
    better = false;
    for (std::size_t v = 0; v < alone.size(); ++v) {
      alone[v] ^= 1U;
      OperatorSchedule tried = list_schedule(graph, order, alone, order.tail);
      if (tried.makespan_seconds < best.makespan_seconds) {
        tried.list_seconds = best.list_seconds;
        best = std::move(tried);
        better = true;
      } else {
        alone[v] ^= 1U;
      }
    }
  }
  return best;
}

}  // namespace berth::nest
