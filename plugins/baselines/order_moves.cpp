// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "order_moves.hpp"

#include <algorithm>
#include <numeric>

#include "partial_schedule.hpp"

namespace berth::baselines {

OrderMoves::OrderMoves(const PlacementProblem& problem, const Placement& placement)
    : problem_(&problem), devices_(problem, placement.device) {
  reset(placement);
}

void OrderMoves::reset(const Placement& placement) {
  const Graph& graph = problem_->graph;
  devices_.reset(placement.device);
  // A topological order of the graph together with the device orders: repeatedly take the ready op
  // with the least order value that is next on its device.
  std::vector<std::size_t> missing(graph.num_ops());
  std::vector<std::vector<OpId>> queue(problem_->costs.num_devices);
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    missing[v] = graph.predecessors(to_id<OpId>(v)).size();
    queue[index(placement.device[v])].push_back(to_id<OpId>(v));
  }
  std::vector<std::size_t> next(queue.size(), 0);
  for (std::vector<OpId>& ops : queue) {
    std::stable_sort(ops.begin(), ops.end(), [&](OpId a, OpId b) {
      return placement.order[index(a)] < placement.order[index(b)];
    });
  }
  sequence_.clear();
  while (sequence_.size() < graph.num_ops()) {
    const std::size_t before = sequence_.size();
    for (std::size_t d = 0; d < queue.size(); ++d) {
      while (next[d] < queue[d].size() && missing[index(queue[d][next[d]])] == 0) {
        const OpId op = queue[d][next[d]++];
        sequence_.push_back(op);
        for (const OpId successor : graph.successors(op)) {
          --missing[index(successor)];
        }
      }
    }
    BERTH_CHECK(sequence_.size() > before, "the static order to start from does not deadlock");
  }
  position_.resize(sequence_.size());
  for (std::size_t i = 0; i < sequence_.size(); ++i) {
    position_[index(sequence_[i])] = static_cast<double>(i);
  }
  keep();
}

void OrderMoves::sort_by_time(std::span<const double> start, std::span<const double> finish) {
  position_ = order_by_start(problem_->graph, start, finish);
  for (std::size_t v = 0; v < sequence_.size(); ++v) {
    sequence_[position(to_id<OpId>(v))] = to_id<OpId>(v);
  }
  keep();
}

void OrderMoves::keep() {
  devices_.keep();
  shifts_.clear();
  first_change_ = sequence_.size();
}

void OrderMoves::undo() {
  devices_.undo();
  while (!shifts_.empty()) {
    const Shift last = shifts_.back();
    shift(last.to, last.from);
    shifts_.pop_back();
    shifts_.pop_back();
  }
  keep();
}

void OrderMoves::shift(std::size_t from, std::size_t to) {
  const auto begin = sequence_.begin();
  const auto at = [begin](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
  if (from < to) {
    std::rotate(at(from), at(from + 1), at(to + 1));
  } else {
    std::rotate(at(to), at(from), at(from + 1));
  }
  for (std::size_t i = std::min(from, to); i <= std::max(from, to); ++i) {
    position_[index(sequence_[i])] = static_cast<double>(i);
  }
  first_change_ = std::min({first_change_, from, to});
  shifts_.push_back({from, to});
}

OrderMoves::Window OrderMoves::window(OpId op) const noexcept {
  Window window{0, sequence_.size() - 1};
  for (const OpId before : problem_->graph.predecessors(op)) {
    window.low = std::max(window.low, position(before) + 1);
  }
  for (const OpId after : problem_->graph.successors(op)) {
    window.high = std::min(window.high, position(after) - 1);
  }
  return window;
}

bool OrderMoves::reinsert(OpId op, DeviceId device, Rng& rng) {
  const std::size_t here = position(op);
  const DeviceId from = devices_.devices()[index(op)];
  const auto [low, high] = window(op);
  // Positions where `op` would end up right before or right after an op of the target device.
  slots_.clear();
  for (std::size_t i = low; i <= high; ++i) {
    if (i != here && devices_.devices()[index(sequence_[i])] == device) {
      slots_.push_back(i);
    }
  }
  if (device == from) {
    if (slots_.empty()) {
      return false;
    }
    shift(here, slots_[rng.below(slots_.size())]);
    return true;
  }
  if (!devices_.move(op, device)) {
    return false;
  }
  first_change_ = std::min(first_change_, here);
  // Staying between its neighbours in time is one more slot.
  const std::size_t slot = rng.below(slots_.size() + 1);
  if (slot < slots_.size()) {
    shift(here, slots_[slot]);
  }
  return true;
}

bool OrderMoves::change(OpId op, Rng& rng) {
  const auto choices = devices_.choices(op);
  const DeviceId own = devices_.devices()[index(op)];
  const std::uint64_t kind = rng.below(16);
  if (choices.size() == 1 || kind < 7) {
    return reinsert(op, own, rng);
  }
  if (kind < 11) {
    return reinsert(op, choices[rng.below(choices.size())], rng);
  }
  if (kind < 13) {
    const OpId neighbour = devices_.random_neighbour(op, rng);
    return reinsert(op, devices_.devices()[index(neighbour)], rng);
  }
  const auto other = to_id<OpId>(rng.below(sequence_.size()));
  const bool changed = kind < 15
                           ? devices_.exchange(op, other)
                           : devices_.move_cluster(op, choices[rng.below(choices.size())], rng);
  if (!changed) {
    devices_.undo();
    return false;
  }
  for (const DeviceMoves::Change& change : devices_.changes()) {
    first_change_ = std::min(first_change_, position(change.op));
  }
  return true;
}

}  // namespace berth::baselines
