// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <numeric>

#include "enumopt.hpp"
#include "meta_ops.hpp"
#include "min_cost_assignment.hpp"
#include "partial_schedule.hpp"

namespace berth::baselines {
namespace {

constexpr std::size_t kMostEnumerated = 6;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// The blocks of a meta-op, dealt out over the devices: block i belongs to slot i mod devices.
class Dealer {
 public:
  explicit Dealer(const PlacementProblem& problem)
      : problem_(&problem),
        devices_(problem.costs.num_devices),
        room_(problem.costs.device_memory),
        device_(problem.graph.num_ops()) {}

  void deal(const MetaOp& group) {
    const std::vector<double> cost = slot_costs(group);
    const std::vector<std::size_t> device_of_slot =
        devices_ <= kMostEnumerated ? first_cheapest(cost) : min_cost_assignment(cost, devices_);
    for (std::size_t i = 0; i < group.size(); ++i) {
      put(group[i],
          device_of_slot.empty() ? cheapest_device(group[i]) : device_of_slot[i % devices_]);
    }
  }

  [[nodiscard]] std::vector<DeviceId> take() { return std::move(device_); }

 private:
  /// Time to bring the inputs of `op` to device d; infinite where the op cannot run.
  [[nodiscard]] double transfer_time(OpId op, std::size_t d) const {
    const Graph& graph = problem_->graph;
    const auto to = to_id<DeviceId>(d);
    if (!problem_->costs.can_run(op, to)) {
      return kNever;
    }
    double sum = 0.0;
    for (std::uint64_t k = graph.in_offsets()[index(op)]; k < graph.in_offsets()[index(op) + 1];
         ++k) {
      const double size = graph.edge_size()[index(graph.in_edges()[k])];
      sum += problem_->costs.transfer(size, device_[index(graph.in_sources()[k])], to);
    }
    return sum;
  }

  /// [slots, devices]; slots without blocks cost nothing anywhere.
  [[nodiscard]] std::vector<double> slot_costs(const MetaOp& group) const {
    std::vector<double> cost(devices_ * devices_, 0.0);
    std::vector<double> memory(devices_, 0.0);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::size_t slot = i % devices_;
      memory[slot] += problem_->graph.memory_bytes()[index(group[i])];
      for (std::size_t d = 0; d < devices_; ++d) {
        cost[slot * devices_ + d] += transfer_time(group[i], d);
        if (memory[slot] > room_[d]) {
          cost[slot * devices_ + d] = kNever;
        }
      }
    }
    return cost;
  }

  /// The first permutation in lexicographic order with the least cost; empty if none is legal.
  [[nodiscard]] std::vector<std::size_t> first_cheapest(const std::vector<double>& cost) const {
    std::vector<std::size_t> permutation(devices_);
    std::iota(permutation.begin(), permutation.end(), std::size_t{0});
    std::vector<std::size_t> best;
    double least = kNever;
    do {
      double sum = 0.0;
      for (std::size_t slot = 0; slot < devices_; ++slot) {
        sum += cost[slot * devices_ + permutation[slot]];
      }
      if (sum < least) {
        least = sum;
        best = permutation;
      }
    } while (std::next_permutation(permutation.begin(), permutation.end()));
    return best;
  }

  /// For a meta-op that no permutation can place: the cheapest device with room for the block.
  [[nodiscard]] std::size_t cheapest_device(OpId op) const {
    std::size_t best = devices_;
    double least = kNever;
    for (std::size_t d = 0; d < devices_; ++d) {
      const bool fits = problem_->graph.memory_bytes()[index(op)] <= room_[d];
      const double time = fits ? transfer_time(op, d) : kNever;
      if (time < least) {
        least = time;
        best = d;
      }
    }
    if (best == devices_) {
      refuse_full("enumopt", problem_->graph, op);
    }
    return best;
  }

  void put(OpId op, std::size_t d) {
    device_[index(op)] = to_id<DeviceId>(d);
    room_[d] -= problem_->graph.memory_bytes()[index(op)];
  }

  const PlacementProblem* problem_;
  std::size_t devices_;
  std::vector<double> room_;
  std::vector<DeviceId> device_;
};

}  // namespace

std::vector<DeviceId> place_by_permutations(const PlacementProblem& problem) {
  Dealer dealer(problem);
  for (const MetaOp& group : meta_ops(problem.graph)) {
    dealer.deal(group);
  }
  return dealer.take();
}

}  // namespace berth::baselines
