// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace berth::internal {

/// A point in time and a tag as one integer: non-negative doubles order like their bits, so one
/// comparison orders by time, then by tag.
__extension__ using TimeKey = unsigned __int128;

[[nodiscard]] inline TimeKey time_key(double time, std::uint64_t tag) noexcept {
  return static_cast<TimeKey>(std::bit_cast<std::uint64_t>(time)) << 64U | tag;
}
[[nodiscard]] inline double time_of(TimeKey key) noexcept {
  return std::bit_cast<double>(static_cast<std::uint64_t>(key >> 64U));
}
[[nodiscard]] inline std::uint64_t tag_of(TimeKey key) noexcept {
  return static_cast<std::uint64_t>(key);
}

/// Inserts `key` into the binary min-heap heap[0..size). @pre room for one more.
template <class Key>
void heap_push(Key* heap, std::size_t& size, const Key& key) noexcept {
  std::size_t hole = size++;
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 2;
    if (!(key < heap[parent])) {
      break;
    }
    heap[hole] = heap[parent];
    hole = parent;
  }
  heap[hole] = key;
}

/// Removes and returns the least key of heap[0..size). The hole sinks to a leaf along the lesser
/// children without looking at the key that will fill it: half the comparisons, and the choice
/// of the child is a conditional move, not a branch.
template <class Key>
Key heap_pop(Key* heap, std::size_t& size) noexcept {
  const Key least = heap[0];
  const std::size_t last = --size;
  std::size_t hole = 0;
  std::size_t child = 1;
  while (child + 1 < last) {
    child += static_cast<std::size_t>(heap[child + 1] < heap[child]);
    heap[hole] = heap[child];
    hole = child;
    child = 2 * hole + 1;
  }
  if (child < last) {
    heap[hole] = heap[child];
    hole = child;
  }
  const Key filler = heap[last];
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 2;
    if (!(filler < heap[parent])) {
      break;
    }
    heap[hole] = heap[parent];
    hole = parent;
  }
  heap[hole] = filler;
  return least;
}

}  // namespace berth::internal
