// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "refine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace berth::doppler {
namespace {

/// The device of a random neighbour of `op`, or a random device.
DeviceId propose(const ProblemView& view, std::span<const DeviceId> device, OpId op, Rng& rng) {
  const auto before = view.graph.predecessors(op);
  const auto after = view.graph.successors(op);
  const std::size_t neighbours = before.size() + after.size();
  if (neighbours > 0 && rng.below(2) == 0) {
    const std::size_t k = rng.below(neighbours);
    return device[index(k < before.size() ? before[k] : after[k - before.size()])];
  }
  return to_id<DeviceId>(rng.below(view.num_devices()));
}

}  // namespace

double refine(const ProblemView& view,
              Simulator& simulator,
              const RefineSpec& spec,
              std::span<DeviceId> device,
              double makespan,
              Rng& rng) {
  const std::size_t n = device.size();
  if (n == 0 || view.num_devices() < 2) {
    return makespan;
  }
  std::vector<DeviceId> best(device.begin(), device.end());
  double best_makespan = makespan;
  const double heat = spec.temperature * makespan;
  for (std::uint64_t spent = 0; spent < spec.simulations; ++spent) {
    const std::size_t v = rng.below(n);
    const std::size_t partner = rng.below(4) == 0 ? rng.below(n) : v;
    const DeviceId old_v = device[v];
    const DeviceId old_partner = device[partner];
    const DeviceId wanted = partner == v ? propose(view, device, to_id<OpId>(v), rng) : old_partner;
    if (wanted == old_v) {
      continue;  // Counted as spent, so that a placement on one device cannot hold the loop.
    }
    device[v] = wanted;
    if (partner != v) {
      device[partner] = old_v;
    }
    const double moved = simulator.makespan(device);
    const double left = 1.0 - static_cast<double>(spent) / static_cast<double>(spec.simulations);
    if (moved <= makespan - heat * left * std::log(1.0 - rng.uniform())) {
      makespan = moved;
      if (moved < best_makespan) {
        best_makespan = moved;
        std::copy(device.begin(), device.end(), best.begin());
      }
    } else {
      device[v] = old_v;
      device[partner] = old_partner;
    }
  }
  std::copy(best.begin(), best.end(), device.begin());
  return best_makespan;
}

std::vector<std::uint8_t> free_region(const Graph& graph, Rng& rng) {
  const std::size_t n = graph.num_ops();
  std::vector<std::uint8_t> is_free(n, 0);
  const std::size_t least = std::max<std::size_t>(2, n / 16);
  const std::size_t size = std::min(n, least + rng.below(std::max<std::size_t>(1, n / 3)));
  const std::size_t centre = rng.below(n);
  if (rng.below(2) == 0) {
    const std::size_t first = std::min(centre, n - size);
    std::fill_n(is_free.begin() + static_cast<std::ptrdiff_t>(first), size, std::uint8_t{1});
    return is_free;
  }
  std::vector<std::size_t> queue{centre};
  is_free[centre] = 1;
  for (std::size_t head = 0; head < queue.size() && queue.size() < size; ++head) {
    const auto op = to_id<OpId>(queue[head]);
    for (const auto row : {graph.successors(op), graph.predecessors(op)}) {
      for (const OpId next : row) {
        if (is_free[index(next)] == 0 && queue.size() < size) {
          is_free[index(next)] = 1;
          queue.push_back(index(next));
        }
      }
    }
  }
  return is_free;
}

}  // namespace berth::doppler
