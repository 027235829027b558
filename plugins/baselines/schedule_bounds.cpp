// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "schedule_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "infinity.hpp"

namespace berth::baselines {
namespace {

std::vector<double> least_transfers(const PlacementProblem& problem, bool& whole) {
  const CostTable& costs = problem.costs;
  std::vector<double> least(problem.graph.num_edges(), costs.num_devices > 1 ? kInfinity : 0.0);
  for (std::size_t e = 0; e < least.size(); ++e) {
    for (std::size_t a = 0; a < costs.num_devices; ++a) {
      for (std::size_t b = 0; b < costs.num_devices; ++b) {
        const double time =
            costs.transfer(problem.graph.edge_size()[e], to_id<DeviceId>(a), to_id<DeviceId>(b));
        whole = whole && time == std::floor(time);
        if (a != b) {
          least[e] = std::min(least[e], time);
        }
      }
    }
  }
  return least;
}

/// Least time from the start of work on `jobs` on one device to the end of the graph: longest tail
/// first is optimal.
double one_after_another(std::vector<std::size_t>& jobs, const LeastTimes& times) {
  std::sort(jobs.begin(), jobs.end(), [&times](std::size_t a, std::size_t b) {
    return times.tail[a] > times.tail[b];
  });
  double now = 0.0;
  double end = 0.0;
  for (const std::size_t job : jobs) {
    now += times.compute[job];
    end = std::max(end, now + times.tail[job]);
  }
  return end;
}

double tail_of(const Graph& graph, std::size_t op, const LeastTimes& times, bool one_device) {
  struct Child {
    std::size_t op;
    double remote;
  };
  std::vector<Child> children;
  for (std::uint64_t e = graph.out_offsets()[op]; e < graph.out_offsets()[op + 1]; ++e) {
    const std::size_t w = index(graph.out_targets()[e]);
    children.push_back(
        {w, one_device ? kInfinity : times.transfer[e] + times.compute[w] + times.tail[w]});
  }
  std::sort(children.begin(), children.end(), [](const Child& a, const Child& b) {
    return a.remote > b.remote;
  });
  std::vector<std::size_t> local;
  double best = kInfinity;
  for (std::size_t k = 0; k <= children.size(); ++k) {
    const double remote = k < children.size() ? children[k].remote : 0.0;
    best = std::min(best, std::max(one_after_another(local, times), remote));
    if (k < children.size()) {
      local.push_back(children[k].op);
    }
  }
  return best;
}

}  // namespace

LeastTimes least_times(const PlacementProblem& problem) {
  const Graph& graph = problem.graph;
  LeastTimes times;
  times.compute = problem.costs.least_compute(graph.num_ops());
  const auto& all = problem.costs.class_compute;
  times.whole = std::all_of(all.begin(), all.end(), [](double time) {
    return time == kInfinity || time == std::floor(time);
  });
  times.transfer = least_transfers(problem, times.whole);
  times.tail.assign(graph.num_ops(), 0.0);
  const auto order = graph.topological_order();
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    times.tail[index(*op)] = tail_of(graph, index(*op), times, problem.costs.num_devices == 1);
  }
  return times;
}

double least_join(std::vector<PendingInput>& inputs) {
  std::sort(inputs.begin(), inputs.end(), [](const PendingInput& a, const PendingInput& b) {
    return a.arrival > b.arrival;
  });
  double best = kInfinity;
  for (std::size_t k = 0; k <= inputs.size(); ++k) {
    // The first k are local, by ascending least start: the best order for the last finish.
    const auto end = inputs.begin() + static_cast<std::ptrdiff_t>(k);
    std::sort(inputs.begin(), end, [](const PendingInput& a, const PendingInput& b) {
      return a.start < b.start;
    });
    double now = 0.0;
    for (auto input = inputs.begin(); input != end; ++input) {
      now = std::max(now, input->start) + input->compute;
    }
    const double remote = k < inputs.size() ? inputs[k].arrival : 0.0;
    best = std::min(best, std::max(now, remote));
    if (now >= best) {
      break;
    }
  }
  return best;
}

}  // namespace berth::baselines
