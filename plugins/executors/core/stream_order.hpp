// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace berth::executors {

/// What each stream is already ordered after, as vector clocks: a stream knows for every stream how
/// many of its tasks have ended before anything that is put on it now.
class StreamOrder {
 public:
  StreamOrder(std::size_t tasks, std::size_t streams)
      : streams_(streams),
        stream_(tasks, 0),
        position_(tasks, 0),
        clock_(streams * streams, 0),
        after_(tasks * streams, 0),
        order_(tasks, 0) {}

  /// Puts `task` on `stream`. @return the producers that the stream must wait for: those that
  /// neither the stream nor another of them is ordered after.
  std::vector<std::uint32_t> put(std::uint32_t task,
                                 std::size_t stream,
                                 std::span<const std::uint32_t> producers) {
    std::uint32_t* const mine = clock_.data() + stream * streams_;
    std::vector<std::uint32_t> latest(producers.begin(), producers.end());
    // One that was put later may be ordered after the others, never before.
    std::ranges::sort(latest,
                      [this](std::uint32_t a, std::uint32_t b) { return order_[a] > order_[b]; });
    std::vector<std::uint32_t> waits;
    for (const std::uint32_t producer : latest) {
      if (mine[stream_[producer]] >= position_[producer]) {
        continue;
      }
      waits.push_back(producer);
      const std::uint32_t* const theirs = after_.data() + producer * streams_;
      for (std::size_t s = 0; s < streams_; ++s) {
        mine[s] = std::max(mine[s], theirs[s]);
      }
    }
    stream_[task] = static_cast<std::uint32_t>(stream);
    position_[task] = ++mine[stream];
    std::copy_n(mine, streams_, after_.data() + task * streams_);
    order_[task] = ++puts_;
    return waits;
  }

 private:
  std::size_t streams_;
  std::vector<std::uint32_t> stream_;    ///< [tasks]
  std::vector<std::uint32_t> position_;  ///< [tasks] in its stream, from 1.
  std::vector<std::uint32_t> clock_;     ///< [streams * streams]
  std::vector<std::uint32_t> after_;     ///< [tasks * streams] clock when the task has ended.
  std::vector<std::uint32_t> order_;     ///< [tasks] when it was put, from 1.
  std::uint32_t puts_ = 0;
};

}  // namespace berth::executors
