// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "berth/ids.hpp"
#include "berth/problem.hpp"
#include "berth/state.hpp"

namespace berth::doppler {

/// The best known placement of each problem of a campaign.
struct Elite {
  std::vector<DeviceId> device;
  std::vector<double> order;            ///< [ops] or empty, as of Placement.
  std::vector<std::uint32_t> sequence;  ///< [ops] in the order in which they start.
  std::uint64_t fingerprint = 0;        ///< Of graph, topology and execution model.
  double makespan = 0.0;
};

/// What a placement is in the simulator: devices, order, sequence of starts (predecessors first).
[[nodiscard]] Elite elite_of(const PlacementProblem& problem,
                             const Placement& placement,
                             double makespan);

[[nodiscard]] std::uint64_t fingerprint(const PlacementProblem& problem);

class Elites {
 public:
  /// Keeps the better one.
  void offer(std::uint32_t problem, Elite candidate);
  /// Null where none is known for a problem with this many ops.
  [[nodiscard]] const Elite* find(std::uint32_t problem, std::size_t ops) const;
  /// Null unless the campaign held this very problem.
  [[nodiscard]] const Elite* recall(std::uint64_t fingerprint) const;

  void save(StateWriter& writer) const;
  void load(const StateReader& reader);

 private:
  std::map<std::uint32_t, Elite> elites_;
};

}  // namespace berth::doppler
