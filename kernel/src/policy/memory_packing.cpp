// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/memory_packing.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>

#include "berth/error.hpp"
#include "berth/units.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

/// Depth-first search over the ops in a fixed order.
class MemoryPacking {
 public:
  explicit MemoryPacking(const PlacementProblem& problem)
      : problem_(&problem),
        room_(problem.costs.device_memory),
        order_(problem.graph.num_ops()),
        on_(problem.graph.num_ops(), kNone) {
    std::vector<std::uint32_t> choices(order_.size(), 0);
    for (std::uint32_t v = 0; v < order_.size(); ++v) {
      for (std::size_t d = 0; d < room_.size(); ++d) {
        choices[v] += problem.costs.can_run(to_id<OpId>(v), to_id<DeviceId>(d)) ? 1 : 0;
      }
    }
    std::iota(order_.begin(), order_.end(), 0U);
    // Ops without memory fit anywhere: they come last.
    std::ranges::sort(order_, {}, [&](std::uint32_t v) {
      return std::tuple(memory(v) <= 0.0, choices[v], -memory(v), v);
    });
  }

  [[nodiscard]] std::vector<DeviceId> find() {
    std::size_t at = 0;
    std::uint64_t steps = order_.size() + kMostSteps;
    while (at < order_.size()) {
      if (steps-- == 0) {
        refuse("no placement was found in " + std::to_string(kMostSteps) + " steps");
      }
      const std::uint32_t v = order_[at];
      const std::uint32_t tried = on_[v];
      if (tried != kNone) {
        room_[tried] += memory(v);
      }
      on_[v] = next_device(v, tried);
      if (on_[v] != kNone) {
        room_[on_[v]] -= memory(v);
        ++at;
      } else {
        deepest_ = std::max(deepest_, at);
        if (at == 0) {
          refuse("infeasible: of all placements none fits");
        }
        --at;
      }
    }
    std::vector<DeviceId> device;
    for (const std::uint32_t d : on_) {
      device.push_back(to_id<DeviceId>(d));
    }
    return device;
  }

 private:
  static constexpr std::uint64_t kMostSteps = 200'000;

  [[nodiscard]] double memory(std::uint32_t v) const { return problem_->graph.memory_bytes()[v]; }

  /// Of the devices that hold `v` the one with the least room, after `tried` in that order.
  [[nodiscard]] std::uint32_t next_device(std::uint32_t v, std::uint32_t tried) const {
    const auto key = [&](std::uint32_t d) { return std::tuple(room_[d], d); };
    std::uint32_t best = kNone;
    for (std::uint32_t d = 0; d < room_.size(); ++d) {
      if (room_[d] < memory(v) || !problem_->costs.can_run(to_id<OpId>(v), to_id<DeviceId>(d))) {
        continue;
      }
      if (tried != kNone && (key(d) <= key(tried) || is_alike(d, tried))) {
        continue;
      }
      if (best == kNone || key(d) < key(best)) {
        best = d;
      }
    }
    return best;
  }

  /// Whether trying `d` after `tried` would only repeat it under another name.
  [[nodiscard]] bool is_alike(std::uint32_t d, std::uint32_t tried) const {
    return room_[d] == room_[tried] &&
           problem_->costs.device_class[d] == problem_->costs.device_class[tried];
  }

  [[noreturn]] void refuse(const std::string& what) const {
    const auto op = to_id<OpId>(order_[deepest_]);
    double largest = 0.0;
    for (std::size_t d = 0; d < room_.size(); ++d) {
      if (problem_->costs.can_run(op, to_id<DeviceId>(d))) {
        largest = std::max(largest, problem_->costs.device_memory[d]);
      }
    }
    throw SolverError("graph '" + problem_->graph.name() + "' on topology '" +
                      problem_->topology.name() + "': " + what +
                      " into the devices' memory; hardest is '" + problem_->graph.op_name(op) +
                      "', which needs " + format(Bytes{memory(order_[deepest_])}) +
                      " where the largest device that can run it has " + format(Bytes{largest}));
  }

  const PlacementProblem* problem_;
  std::vector<double> room_;          ///< [devices] bytes left
  std::vector<std::uint32_t> order_;  ///< [ops]
  std::vector<std::uint32_t> on_;     ///< [ops] device, or kNone
  std::size_t deepest_ = 0;           ///< Furthest position that found no device.
};

}  // namespace

std::vector<DeviceId> pack_into_memory(const PlacementProblem& problem) {
  return MemoryPacking(problem).find();
}

}  // namespace abi_v1
}  // namespace berth
