// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "berth/export.hpp"
#include "berth/network_levels.hpp"

namespace berth {
inline namespace abi_v1 {

/// Members of a group of devices per network level: members[l] is the number of units of level l-1
/// (devices for l = 0) that hold members, in the unit of level l that holds most.
struct GroupShape {
  std::vector<std::uint32_t> members;

  [[nodiscard]] std::size_t ranks() const noexcept;
  bool operator==(const GroupShape&) const = default;
};

/// The shape of a list of distinct devices, ascending. Cost O(devices * levels).
[[nodiscard]] BERTH_API GroupShape shape_of(const NetworkLevels& network,
                                            std::span<const std::uint32_t> devices);

/// One algorithm of one collective: seconds + bytes * seconds_per_byte (alpha-beta model, Hockney
/// 1994). Bytes are the whole buffer of one rank: what all-reduce reduces, what all-gather ends
/// with, what reduce-scatter starts from, what all-to-all sends.
struct AffineCost {
  double seconds = 0.0;
  double seconds_per_byte = 0.0;
  std::string_view algorithm = "none";
};

/// The cheapest of up to four algorithms.
class BERTH_API CollectiveCost {
 public:
  void add(const AffineCost& cost);
  [[nodiscard]] double seconds(double size_bytes) const noexcept;
  [[nodiscard]] std::string_view algorithm(double size_bytes) const noexcept;

 private:
  std::array<AffineCost, 4> costs_{};
  std::size_t count_ = 0;
};

/// Costs of collectives on one network, if every group of this shape runs at the same time, so that
/// shared uplinks are divided by all devices behind them. Groups of one rank cost nothing.
///
/// Formulas, g ranks, latency a, S bytes, bandwidth B:
/// - ring all-reduce 2(g-1)a + 2(g-1)/g S/B; reduce-scatter and all-gather half of it (Patarasuk
/// and
///   Yuan, 2009). A torus dimension lends the ring both directions.
/// - halving-doubling all-reduce 2 ceil(log2 g) a + 2(g-1)/g S/B, and a + S/B twice more if g is no
///   power of two (Thakur, Rabenseifner and Gropp, 2005).
/// - tree all-reduce 2 ceil(log2 g)(a + S/B); broadcast half of it (binomial tree).
/// - hierarchical: reduce-scatter and all-gather level by level with S / (members below),
/// all-reduce
///   at the top; on a torus this is the reduction dimension by dimension.
/// - all-to-all (g-1)a + (g-1)/g S/B with the slowest B on the way.
class BERTH_API Collectives {
 public:
  explicit Collectives(const NetworkLevels& network);

  [[nodiscard]] CollectiveCost all_reduce(const GroupShape& shape) const;
  [[nodiscard]] CollectiveCost reduce_scatter(const GroupShape& shape) const;
  [[nodiscard]] CollectiveCost all_gather(const GroupShape& shape) const;
  [[nodiscard]] CollectiveCost all_to_all(const GroupShape& shape) const;
  [[nodiscard]] CollectiveCost broadcast(const GroupShape& shape) const;

  /// One message to a device at `level` while `ranks` neighbours send theirs: latency of the level,
  /// the narrowest link of the path.
  [[nodiscard]] AffineCost point_to_point(std::size_t level, std::size_t ranks) const;

 private:
  struct Hop {
    double latency = 0.0;
    double bandwidth = 0.0;  // bytes per second of one rank
  };
  [[nodiscard]] Hop flat_hop(const GroupShape& shape, bool as_ring) const;
  [[nodiscard]] Hop level_hop(std::size_t l) const;
  [[nodiscard]] AffineCost one_way(const GroupShape& shape) const;

  const NetworkLevels& network_;
  std::vector<std::size_t> below_;  // [level] devices of the largest unit of the level below
};

}  // namespace abi_v1
}  // namespace berth
