// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "berth/cluster.hpp"

namespace berth::hadar {

/// How a gang divides over the types.
struct Composition {
  std::vector<std::uint32_t> counts;  ///< [num_types]
  std::uint32_t gang = 0;
  std::size_t types_used = 0;
  std::size_t first_type = 0;
  std::size_t offset = 0;  ///< Distance in states.
};

/// The states of the exact allocation: accelerators given out per type, the
/// last type contiguous; and the compositions of every gang size, fewest types
/// first.
class CompositionGrid {
 public:
  /// @throws InputError if the states exceed `state_limit`.
  CompositionGrid(const Cluster& cluster, std::size_t state_limit);

  [[nodiscard]] std::size_t num_states() const noexcept { return num_states_; }
  [[nodiscard]] std::size_t num_compositions() const noexcept { return compositions_.size(); }
  [[nodiscard]] const Composition& composition(std::size_t c) const { return compositions_[c]; }
  /// Positions of the compositions of a gang; made on first use.
  [[nodiscard]] const std::vector<std::size_t>& of_gang(std::uint32_t gang);

  /// Accelerators of a type that a state has given out.
  [[nodiscard]] std::uint32_t taken(std::size_t state, std::size_t type) const {
    return static_cast<std::uint32_t>(state / stride_[type] % (capacity_[type] + 1U));
  }
  /// The state before this composition was given out, if there is one.
  [[nodiscard]] std::optional<std::size_t> before(std::size_t state, std::size_t c) const;

  /// to[g + n] = max(to[g + n], from[g] + utility) for all g with room for the
  /// composition n.
  void relax(std::size_t c, double utility, const double* from, double* to) const;

 private:
  std::vector<std::uint32_t> capacity_;  // [num_types]
  std::vector<std::size_t> stride_;      // [num_types]
  std::size_t num_states_ = 1;
  std::vector<Composition> compositions_;
  std::map<std::uint32_t, std::vector<std::size_t>> by_gang_;
};

}  // namespace berth::hadar
