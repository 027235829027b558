// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <numeric>

#include "berth/error.hpp"
#include "berth/forked_simulator.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

/// When all of these copies end together, overheads included.
double common_end(std::span<const ForkedCopy> copies,
                  const std::vector<std::uint8_t>& used,
                  double remaining) {
  double work = remaining;
  double rate = 0.0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (used[i] != 0) {
      work += copies[i].rate * copies[i].overhead_seconds;
      rate += copies[i].rate;
    }
  }
  return work / rate;
}

}  // namespace

ForkedSlot divide_slot(std::span<const ForkedCopy> copies,
                       std::uint64_t remaining_steps,
                       double slot_seconds) {
  BERTH_CHECK(!copies.empty() && remaining_steps > 0, "a job with copies has steps left");
  ForkedSlot slot;
  slot.steps.assign(copies.size(), 0);
  std::uint64_t possible = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const double room = std::max(0.0, slot_seconds - copies[i].overhead_seconds);
    slot.steps[i] = static_cast<std::uint64_t>(std::floor(copies[i].rate * room));
    possible += slot.steps[i];
  }
  if (possible < remaining_steps) {
    slot.end_seconds = slot_seconds;
    return slot;
  }
  slot.finishes = true;
  std::vector<std::uint8_t> used(copies.size(), 1);
  double end = common_end(copies, used, static_cast<double>(remaining_steps));
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (used[i] != 0 && copies[i].overhead_seconds >= end) {
        used[i] = 0;
        changed = true;
      }
    }
    end = changed ? common_end(copies, used, static_cast<double>(remaining_steps)) : end;
  }
  std::vector<std::pair<double, std::size_t>> remainders;
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const double exact = used[i] != 0 ? copies[i].rate * (end - copies[i].overhead_seconds) : 0.0;
    slot.steps[i] = static_cast<std::uint64_t>(std::floor(exact));
    given += slot.steps[i];
    if (used[i] != 0) {
      remainders.emplace_back(-(exact - std::floor(exact)), i);
    }
  }
  std::sort(remainders.begin(), remainders.end());
  for (std::size_t k = 0; given < remaining_steps; k = (k + 1) % remainders.size()) {
    ++slot.steps[remainders[k].second];
    ++given;
  }
  for (std::size_t k = remainders.size(); given > remaining_steps;) {
    k = k == 0 ? remainders.size() - 1 : k - 1;
    if (slot.steps[remainders[k].second] > 0) {
      --slot.steps[remainders[k].second];
      --given;
    }
  }
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (slot.steps[i] > 0) {
      slot.end_seconds = std::max(
          slot.end_seconds,
          copies[i].overhead_seconds + static_cast<double>(slot.steps[i]) / copies[i].rate);
    }
  }
  return slot;
}

}  // namespace abi_v1
}  // namespace berth
