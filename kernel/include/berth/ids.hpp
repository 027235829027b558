// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

namespace berth {
inline namespace abi_v1 {

/// Position of an operation in its graph, 0 .. num_ops-1, in file order.
enum class OpId : std::uint32_t {};
/// Position of a device in its topology, 0 .. num_devices-1.
enum class DeviceId : std::uint32_t {};
/// Position of a link in its topology.
enum class LinkId : std::uint32_t {};
/// Position of an edge in the graph's outgoing compressed-row order.
enum class EdgeId : std::uint64_t {};
/// Number of a rollout in its campaign; never depends on the rank that ran it.
enum class RolloutId : std::uint64_t {};

/// The subscript an id stands for.
template <class Id>
[[nodiscard]] constexpr std::size_t index(Id id) noexcept {
  return static_cast<std::size_t>(id);
}

/// The id a subscript stands for.
template <class Id, class Integer>
[[nodiscard]] constexpr Id to_id(Integer value) noexcept {
  return static_cast<Id>(value);
}

}  // namespace abi_v1
}  // namespace berth
