// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "visited_states.hpp"

namespace berth::baselines {
namespace {

constexpr std::size_t kFirstSlots = std::size_t{1} << 12U;

}  // namespace

VisitedStates::VisitedStates(std::size_t most_states)
    : most_states_(most_states), slots_(kFirstSlots) {}

bool VisitedStates::insert(Fingerprint state) {
  state.low |= state == Fingerprint{} ? 1U : 0U;
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = state.low & mask;
  for (; slots_[at] != Fingerprint{}; at = (at + 1) & mask) {
    if (slots_[at] == state) {
      return false;
    }
  }
  if (size_ >= most_states_) {
    return true;
  }
  slots_[at] = state;
  if (++size_ * 2 > slots_.size()) {
    grow();
  }
  return true;
}

void VisitedStates::grow() {
  std::vector<Fingerprint> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Fingerprint& state : old) {
    if (state != Fingerprint{}) {
      std::size_t at = state.low & mask;
      while (slots_[at] != Fingerprint{}) {
        at = (at + 1) & mask;
      }
      slots_[at] = state;
    }
  }
}

}  // namespace berth::baselines
