// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "berth/ids.hpp"
#include "berth/state.hpp"

namespace berth::doppler {

/// The best known placement of each problem of a campaign.
struct Elite {
  std::vector<DeviceId> device;
  double makespan = 0.0;
};

class Elites {
 public:
  /// Keeps the better one.
  void offer(std::uint32_t problem, const std::vector<DeviceId>& device, double makespan);
  /// Null where none is known for a problem with this many ops.
  [[nodiscard]] const Elite* find(std::uint32_t problem, std::size_t ops) const;

  void save(StateWriter& writer) const;
  void load(const StateReader& reader);

 private:
  std::map<std::uint32_t, Elite> elites_;
};

}  // namespace berth::doppler
