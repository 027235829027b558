// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "device_moves.hpp"

namespace berth::baselines {

DeviceMoves::DeviceMoves(const PlacementProblem& problem, std::span<const DeviceId> devices)
    : problem_(&problem), choice_offset_{0} {
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    for (std::size_t d = 0; d < problem.costs.num_devices; ++d) {
      if (problem.costs.can_run(to_id<OpId>(v), to_id<DeviceId>(d))) {
        choices_.push_back(to_id<DeviceId>(d));
      }
    }
    choice_offset_.push_back(choices_.size());
    if (choice_offset_[v + 1] - choice_offset_[v] > 1) {
      movable_.push_back(to_id<OpId>(v));
    }
  }
  reset(devices);
}

void DeviceMoves::reset(std::span<const DeviceId> devices) {
  device_.assign(devices.begin(), devices.end());
  changes_.clear();
  room_ = problem_->costs.device_memory;
  for (std::size_t v = 0; v < device_.size(); ++v) {
    room_[index(device_[v])] -= problem_->graph.memory_bytes()[v];
  }
}

bool DeviceMoves::move(OpId op, DeviceId to) {
  const DeviceId from = device_[index(op)];
  const double memory = problem_->graph.memory_bytes()[index(op)];
  if (from == to || memory > room_[index(to)] || !problem_->costs.can_run(op, to)) {
    return false;
  }
  room_[index(from)] += memory;
  room_[index(to)] -= memory;
  device_[index(op)] = to;
  changes_.push_back({op, from});
  return true;
}

void DeviceMoves::undo() {
  for (; !changes_.empty(); changes_.pop_back()) {
    const auto [op, from] = changes_.back();
    const double memory = problem_->graph.memory_bytes()[index(op)];
    room_[index(device_[index(op)])] += memory;
    room_[index(from)] -= memory;
    device_[index(op)] = from;
  }
}

OpId DeviceMoves::random_op(Rng& rng) const {
  return movable_[rng.below(movable_.size())];
}

OpId DeviceMoves::random_neighbour(OpId op, Rng& rng) const {
  const auto before = problem_->graph.predecessors(op);
  const auto after = problem_->graph.successors(op);
  const std::size_t total = before.size() + after.size();
  if (total == 0) {
    return op;
  }
  const std::size_t i = rng.below(total);
  return i < before.size() ? before[i] : after[i - before.size()];
}

bool DeviceMoves::move_cluster(OpId op, DeviceId to, Rng& rng) {
  const DeviceId from = device_[index(op)];
  bool moved = move(op, to);
  const bool upwards = rng.below(2) == 0;
  for (const OpId other :
       upwards ? problem_->graph.predecessors(op) : problem_->graph.successors(op)) {
    if (device_[index(other)] == from) {
      moved = move(other, to) || moved;
    }
  }
  return moved;
}

bool DeviceMoves::exchange(OpId a, OpId b) {
  const DeviceId of_a = device_[index(a)];
  const DeviceId of_b = device_[index(b)];
  return of_a != of_b && move(a, of_b) && move(b, of_a);
}

bool DeviceMoves::change(OpId op, Rng& rng) {
  const auto options = choices(op);
  const DeviceId anywhere = options[rng.below(options.size())];
  bool changed = false;
  switch (rng.below(8)) {
    case 0:
    case 1:
    case 2:
      changed = move(op, anywhere);
      break;
    case 3:
    case 4:
    case 5:
      changed = move(op, device_[index(random_neighbour(op, rng))]);
      break;
    case 6:
      changed = exchange(op, random_op(rng));
      break;
    default:
      changed = move_cluster(op, anywhere, rng);
      break;
  }
  if (!changed) {
    undo();
  }
  return changed;
}

}  // namespace berth::baselines
