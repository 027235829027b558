// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/partition_problem.hpp"

namespace berth::planners {

/// Which device holds which node, and what every device is loaded with, kept up to date while nodes
/// move. Devices are the accelerators, then the hosts. For problems of one width and one variant.
class DeviceLoads {
 public:
  explicit DeviceLoads(const PartitionProblem& problem);

  [[nodiscard]] std::size_t devices() const noexcept { return seconds_.size(); }
  [[nodiscard]] bool is_host(std::size_t device) const { return device >= problem_.accelerators; }
  [[nodiscard]] double seconds(std::size_t device) const { return seconds_[device]; }
  [[nodiscard]] bool can_run(std::uint32_t node, std::size_t device) const;
  [[nodiscard]] bool fits(std::size_t device) const {
    return is_host(device) || bytes_[device] <= problem_.memory_bytes;
  }
  [[nodiscard]] double bytes(std::size_t device) const { return bytes_[device]; }

  /// Cost O(transfers of the node). @pre can_run(node, device), and the node is nowhere
  void place(std::uint32_t node, std::size_t device);
  void lift(std::uint32_t node, std::size_t device);
  void clear();

 private:
  void charge(std::uint32_t transfer, std::size_t device, double sign);

  const PartitionProblem& problem_;
  std::vector<std::vector<std::uint32_t>> touching_;  // [nodes]
  std::vector<std::vector<std::uint32_t>> ends_;      // [transfers][devices]
  std::vector<double> seconds_;                       // [devices]
  std::vector<double> bytes_;                         // [devices]
};

}  // namespace berth::planners
