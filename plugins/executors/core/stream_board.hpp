// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <vector>

#include "stream_plan.hpp"

namespace berth::executors {

/// Which streams are free, and which task each was given last.
class StreamBoard {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  StreamBoard(const StreamSpec& spec, std::size_t devices)
      : spec_(spec), busy_(devices * spec.all(), 0), last_(devices * spec.all(), kNone) {}

  /// A free compute stream: one whose last task is a producer, so that no event is waited for, else
  /// the lowest. kNone if all are busy.
  [[nodiscard]] std::uint32_t free_compute(std::uint32_t device,
                                           std::span<const std::uint32_t> producers) const {
    std::uint32_t lowest = kNone;
    for (std::uint32_t number = 0; number < spec_.compute; ++number) {
      if (busy_[at({device, number})] != 0) {
        continue;
      }
      if (std::ranges::find(producers, last_[at({device, number})]) != producers.end()) {
        return number;
      }
      lowest = std::min(lowest, number);
    }
    return lowest;
  }
  [[nodiscard]] bool has_free_compute(std::uint32_t device) const {
    return free_compute(device, {}) != kNone;
  }
  /// The copy stream for transfers from a device.
  [[nodiscard]] std::uint32_t copy_stream(std::uint32_t from) const noexcept {
    return spec_.compute + from % spec_.copy;
  }

  void occupy(StreamId stream, std::uint32_t task) {
    busy_[at(stream)] = 1;
    last_[at(stream)] = task;
  }
  void release(StreamId stream) { busy_[at(stream)] = 0; }
  [[nodiscard]] bool is_busy(StreamId stream) const { return busy_[at(stream)] != 0; }

 private:
  [[nodiscard]] std::size_t at(StreamId stream) const noexcept {
    return std::size_t{stream.device} * spec_.all() + stream.number;
  }

  StreamSpec spec_;
  std::vector<char> busy_;           ///< [devices * streams]
  std::vector<std::uint32_t> last_;  ///< [devices * streams]
};

}  // namespace berth::executors
