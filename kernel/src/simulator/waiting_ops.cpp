// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "waiting_ops.hpp"

#include <algorithm>
#include <bit>

namespace berth::internal {
namespace {

/// Maps doubles to integers of the same order; both zeros to one value.
std::uint64_t ordered_bits(double value) noexcept {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace

WaitingOps::WaitingOps(const PackedProblem& packed)
    : begin_(packed.num_devices + 1),
      filled_(packed.num_devices),
      waiting_(packed.num_ops),
      sequence_(packed.num_ops),
      ready_(packed.num_ops),
      taken_(packed.num_ops) {}

void WaitingOps::reset(const std::vector<OpState>& state,
                       std::span<const double> order,
                       Discipline discipline) {
  discipline_ = discipline;
  order_ = order;
  std::fill(begin_.begin(), begin_.end(), 0);
  std::fill(filled_.begin(), filled_.end(), 0);
  for (const OpState& op : state) {
    ++begin_[op.device + 1];
  }
  for (std::size_t d = 1; d < begin_.size(); ++d) {
    begin_[d] += begin_[d - 1];
  }
  if (discipline != Discipline::kStaticOrder) {
    return;
  }
  std::fill(ready_.begin(), ready_.end(), 0);
  std::fill(taken_.begin(), taken_.end(), 0);
  for (std::size_t v = 0; v < state.size(); ++v) {
    const std::uint32_t device = state[v].device;
    sequence_[begin_[device] + filled_[device]++] = static_cast<std::uint32_t>(v);
  }
  std::fill(filled_.begin(), filled_.end(), 0);
  if (order.empty()) {
    return;
  }
  for (std::size_t d = 0; d + 1 < begin_.size(); ++d) {
    std::sort(sequence_.begin() + static_cast<std::ptrdiff_t>(begin_[d]),
              sequence_.begin() + static_cast<std::ptrdiff_t>(begin_[d + 1]),
              [&order](std::uint32_t a, std::uint32_t b) {
                return order[a] != order[b] ? order[a] < order[b] : a < b;
              });
  }
}

void WaitingOps::add(std::uint32_t op, std::uint32_t device, double rank) noexcept {
  if (discipline_ == Discipline::kStaticOrder) {
    ready_[op] = 1;
    return;
  }
  const bool by_priority = discipline_ == Discipline::kPriority && !order_.empty();
  heap_push(waiting_.data() + begin_[device],
            filled_[device],
            Key{by_priority ? ordered_bits(order_[op]) : 0, time_key(rank, op)});
}

bool WaitingOps::take(std::uint32_t device, std::uint32_t& op) noexcept {
  if (discipline_ == Discipline::kStaticOrder) {
    op = next_in_order(device);
    if (op == sequence_.size() || ready_[op] == 0) {
      return false;
    }
    taken_[op] = 1;
    ++filled_[device];
    return true;
  }
  if (filled_[device] == 0) {
    return false;
  }
  const Key key = heap_pop(waiting_.data() + begin_[device], filled_[device]);
  op = static_cast<std::uint32_t>(tag_of(key.rank_and_op));
  return true;
}

std::uint32_t WaitingOps::next_in_order(std::uint32_t device) const noexcept {
  const std::size_t position = begin_[device] + filled_[device];
  return position < begin_[device + 1] ? sequence_[position]
                                       : static_cast<std::uint32_t>(sequence_.size());
}

}  // namespace berth::internal
