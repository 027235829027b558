// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/collectives.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace berth {
inline namespace abi_v1 {
namespace {

double ceil_log2(std::size_t ranks) {
  return static_cast<double>(std::bit_width(ranks - 1));
}

}  // namespace

std::size_t GroupShape::ranks() const noexcept {
  std::size_t product = 1;
  for (const std::uint32_t count : members) {
    product *= count;
  }
  return product;
}

GroupShape shape_of(const NetworkLevels& network, std::span<const std::uint32_t> devices) {
  GroupShape shape;
  for (std::size_t l = 0; l < network.num_levels(); ++l) {
    std::uint32_t most = 0;
    std::uint32_t here = 0;
    for (std::size_t k = 0; k < devices.size(); ++k) {
      const bool new_part =
          k == 0 || l == 0 ||
          network.unit_of(l - 1, devices[k]) != network.unit_of(l - 1, devices[k - 1]);
      const bool new_unit =
          k == 0 || network.unit_of(l, devices[k]) != network.unit_of(l, devices[k - 1]);
      here = (new_unit ? 0U : here) + (new_part ? 1U : 0U);
      most = std::max(most, here);
    }
    shape.members.push_back(std::max(most, 1U));
  }
  return shape;
}

void CollectiveCost::add(const AffineCost& cost) {
  if (count_ < costs_.size()) {
    costs_[count_++] = cost;
  }
}

double CollectiveCost::seconds(double size_bytes) const noexcept {
  double least = count_ == 0 ? 0.0 : INFINITY;
  for (std::size_t k = 0; k < count_; ++k) {
    least = std::min(least, costs_[k].seconds + size_bytes * costs_[k].seconds_per_byte);
  }
  return least;
}

std::string_view CollectiveCost::algorithm(double size_bytes) const noexcept {
  const double least = seconds(size_bytes);
  for (std::size_t k = 0; k < count_; ++k) {
    if (costs_[k].seconds + size_bytes * costs_[k].seconds_per_byte == least) {
      return costs_[k].algorithm;
    }
  }
  return "none";
}

Collectives::Collectives(const NetworkLevels& network) : network_(network) {
  for (std::size_t l = 0; l < network.num_levels(); ++l) {
    below_.push_back(l == 0 ? 1 : network.largest_unit(l - 1));
  }
}

// A flat algorithm sees the worst latency and the narrowest link that the group touches. Behind an
// uplink, one rank of each group of this shape crosses.
Collectives::Hop Collectives::flat_hop(const GroupShape& shape, bool as_ring) const {
  Hop hop{0.0, INFINITY};
  std::size_t inside = 1;
  for (std::size_t l = 0; l < shape.members.size(); ++l) {
    if (shape.members[l] > 1) {
      const NetworkLevel& level = network_.level(l);
      const std::size_t groups = std::max<std::size_t>(1, below_[l] / inside);
      const double links = as_ring ? level.parallel_links : 1U;
      hop.latency = std::max(hop.latency, level.latency_seconds);
      hop.bandwidth = std::min(hop.bandwidth, links * network_.bandwidth(l, groups));
    }
    inside *= shape.members[l];
  }
  return hop;
}

// One step of a hierarchical algorithm: every device behind the uplink takes part.
Collectives::Hop Collectives::level_hop(std::size_t l) const {
  const NetworkLevel& level = network_.level(l);
  return {level.latency_seconds, level.parallel_links * network_.bandwidth(l, below_[l])};
}

CollectiveCost Collectives::all_reduce(const GroupShape& shape) const {
  CollectiveCost cost;
  const std::size_t ranks = shape.ranks();
  if (ranks < 2) {
    return cost;
  }
  const auto g = static_cast<double>(ranks);
  const Hop ring = flat_hop(shape, /*as_ring=*/true);
  const Hop flat = flat_hop(shape, /*as_ring=*/false);
  cost.add({2.0 * (g - 1.0) * ring.latency, 2.0 * (g - 1.0) / g / ring.bandwidth, "ring"});
  cost.add(
      {2.0 * ceil_log2(ranks) * flat.latency, 2.0 * ceil_log2(ranks) / flat.bandwidth, "tree"});
  const double extra = std::has_single_bit(ranks) ? 0.0 : 2.0;
  cost.add({(2.0 * ceil_log2(ranks) + extra) * flat.latency,
            (2.0 * (g - 1.0) / g + extra) / flat.bandwidth,
            "halving-doubling"});
  // Reduce-scatter up, all-gather down; at the top that pair is an all-reduce.
  const AffineCost half = one_way(shape);
  cost.add({2.0 * half.seconds, 2.0 * half.seconds_per_byte, half.algorithm});
  return cost;
}

// Level by level, the smallest pieces on the outermost level.
AffineCost Collectives::one_way(const GroupShape& shape) const {
  AffineCost sum{0.0, 0.0, "hierarchical"};
  double inside = 1.0;
  for (std::size_t l = 0; l < shape.members.size(); ++l) {
    const double g = shape.members[l];
    if (g > 1.0) {
      const Hop hop = level_hop(l);
      sum.seconds += (g - 1.0) * hop.latency;
      sum.seconds_per_byte += (g - 1.0) / g / inside / hop.bandwidth;
    }
    inside *= g;
  }
  return sum;
}

CollectiveCost Collectives::reduce_scatter(const GroupShape& shape) const {
  const std::size_t ranks = shape.ranks();
  if (ranks < 2) {
    return {};
  }
  CollectiveCost cost;
  cost.add(one_way(shape));
  const auto g = static_cast<double>(ranks);
  const Hop ring = flat_hop(shape, /*as_ring=*/true);
  cost.add({(g - 1.0) * ring.latency, (g - 1.0) / g / ring.bandwidth, "ring"});
  return cost;
}

CollectiveCost Collectives::all_gather(const GroupShape& shape) const {
  return reduce_scatter(shape);
}

CollectiveCost Collectives::all_to_all(const GroupShape& shape) const {
  CollectiveCost cost;
  const std::size_t ranks = shape.ranks();
  if (ranks < 2) {
    return cost;
  }
  const auto g = static_cast<double>(ranks);
  Hop hop{0.0, INFINITY};
  for (std::size_t l = 0; l < shape.members.size(); ++l) {
    if (shape.members[l] > 1) {
      // Every device behind the uplink sends across it.
      const Hop here = level_hop(l);
      hop.latency = std::max(hop.latency, here.latency);
      hop.bandwidth = std::min(hop.bandwidth, here.bandwidth);
    }
  }
  cost.add({(g - 1.0) * hop.latency, (g - 1.0) / g / hop.bandwidth, "pairwise"});
  return cost;
}

CollectiveCost Collectives::broadcast(const GroupShape& shape) const {
  CollectiveCost cost;
  const std::size_t ranks = shape.ranks();
  if (ranks < 2) {
    return cost;
  }
  const Hop flat = flat_hop(shape, /*as_ring=*/false);
  cost.add({ceil_log2(ranks) * flat.latency, ceil_log2(ranks) / flat.bandwidth, "tree"});
  return cost;
}

AffineCost Collectives::point_to_point(std::size_t level, std::size_t ranks) const {
  double narrowest = INFINITY;
  for (std::size_t l = 0; l <= level; ++l) {
    narrowest = std::min(narrowest, network_.bandwidth(l, std::min(ranks, below_[l])));
  }
  return {network_.level(level).latency_seconds, 1.0 / narrowest, "point-to-point"};
}

}  // namespace abi_v1
}  // namespace berth
