// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

namespace berth::executors {

/// Which devices of a problem are of which rank: stretches in rank order, evenly divided. A rank's
/// drivers and memory number its own devices from 0.
class DeviceShare {
 public:
  /// @pre rank < ranks <= devices. By default all devices are of one rank.
  explicit DeviceShare(std::size_t devices, std::uint32_t ranks = 1, std::uint32_t rank = 0)
      : devices_(devices), ranks_(ranks), rank_(rank) {}

  [[nodiscard]] std::uint32_t first(std::uint32_t rank) const noexcept {
    return static_cast<std::uint32_t>(rank * devices_ / ranks_);
  }
  [[nodiscard]] std::uint32_t owner(std::uint32_t device) const noexcept {
    return static_cast<std::uint32_t>(((device + std::size_t{1}) * ranks_ - 1) / devices_);
  }

  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }
  /// Own devices.
  [[nodiscard]] std::uint32_t count() const noexcept { return first(rank_ + 1) - first(rank_); }
  [[nodiscard]] bool owns(std::uint32_t device) const noexcept { return owner(device) == rank_; }
  /// The number of an own device within the rank.
  [[nodiscard]] std::uint32_t local(std::uint32_t device) const noexcept {
    return device - first(rank_);
  }

 private:
  std::size_t devices_;
  std::uint32_t ranks_;
  std::uint32_t rank_;
};

}  // namespace berth::executors
