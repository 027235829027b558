// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "refine.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

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

/// Changes a placement by one random move that can be taken back.
class Moves {
 public:
  Moves(const ProblemView& view, std::span<DeviceId> device) : view_(&view), device_(device) {}

  /// One op elsewhere, two ops exchanged, or an op with its inputs or consumers beside it.
  /// @return whether anything changed.
  bool change(Rng& rng) {
    changes_.clear();
    const auto op = to_id<OpId>(rng.below(device_.size()));
    const std::uint64_t kind = rng.below(8);
    if (kind < 2) {
      const auto other = to_id<OpId>(rng.below(device_.size()));
      const DeviceId of_op = device_[index(op)];
      put(op, device_[index(other)]);
      put(other, of_op);
    } else if (kind < 7) {
      put(op, propose(*view_, device_, op, rng));
    } else {
      const DeviceId from = device_[index(op)];
      const auto to = to_id<DeviceId>(rng.below(view_->num_devices()));
      put(op, to);
      for (const OpId other :
           rng.below(2) == 0 ? view_->graph.predecessors(op) : view_->graph.successors(op)) {
        if (device_[index(other)] == from) {
          put(other, to);
        }
      }
    }
    return !changes_.empty();
  }

  void undo() {
    for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
      device_[index(change->first)] = change->second;
    }
  }

 private:
  void put(OpId op, DeviceId to) {
    if (device_[index(op)] != to && view_->costs.can_run(op, to)) {
      changes_.emplace_back(op, device_[index(op)]);
      device_[index(op)] = to;
    }
  }

  const ProblemView* view_;
  std::span<DeviceId> device_;
  std::vector<std::pair<OpId, DeviceId>> changes_;
};

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
  constexpr double kCooling = 0.01;  // Last temperature as a share of the first.
  // The last fifth only improves: that settles costs far below the last temperature.
  const std::uint64_t warm = spec.simulations - spec.simulations / 5;
  std::vector<DeviceId> best(device.begin(), device.end());
  double best_makespan = makespan;
  const double hot = spec.temperature * makespan;
  Moves moves(view, device);
  for (std::uint64_t spent = 0; spent < spec.simulations; ++spent) {
    if (!moves.change(rng)) {
      continue;  // Counted as spent, so that a problem without moves cannot hold the loop.
    }
    const double moved = simulator.makespan(device);
    bool keep = moved <= makespan;
    if (!keep && hot > 0.0 && spent < warm) {
      const double used = static_cast<double>(spent) / static_cast<double>(warm);
      const double temperature = hot * std::pow(kCooling, used);
      keep = rng.uniform() < std::exp((makespan - moved) / temperature);
    }
    if (!keep) {
      moves.undo();
      continue;
    }
    makespan = moved;
    if (moved < best_makespan) {
      best_makespan = moved;
      std::copy(device.begin(), device.end(), best.begin());
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

bool is_deep(RolloutId id, double share) {
  constexpr std::uint64_t kRun = 4;
  constexpr std::uint64_t kBurst = 4;
  if (share <= 0.0 || index(id) % kRun != 0) {
    return false;
  }
  const double bursts = 1.0 / (share * static_cast<double>(kRun));
  const auto period = static_cast<std::uint64_t>(std::max(std::round(bursts), 1.0));
  return index(id) / (kRun * kBurst) % period == 0;
}

}  // namespace berth::doppler
