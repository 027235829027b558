// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string_view>

#include "berth/topology.hpp"

namespace berth::datasets {

/// What a maker says of one accelerator, and where.
struct Accelerator {
  std::string_view name;
  std::string_view peak;       ///< Single precision without sparsity.
  std::string_view half_peak;  ///< 16 bit with 32-bit sums, matrix units, dense; no units: vector.
  std::string_view memory_bandwidth;
  std::string_view memory;
  std::string_view launch_overhead;  ///< From host call to kernel start; see `source`.
  std::string_view source;           ///< Document and its year.
  double price_per_hour;             ///< List price of one device, US dollars; 0: none is known.
  std::string_view price_source;     ///< Offer, place and year; empty without a price.
};

/// The link between the devices of one node, and the network card beside it.
struct NodeLink {
  std::string_view name;         ///< As cluster presets call the node: "h100".
  std::string_view accelerator;  ///< In accelerators().
  std::string_view link;         ///< "nvlink4".
  std::string_view bandwidth;    ///< Of one device, one direction, as a collective sees it.
  std::string_view latency;      ///< Of one message; see accelerators.cpp.
  std::string_view network;      ///< One direction of the network card, for one device.
  std::string_view source;       ///< Documents and their years.
};

/// A kind of link of its own.
struct LinkRate {
  std::string_view name;
  std::string_view bandwidth;  ///< One direction, as copies of large blocks reach it.
  std::string_view latency;
  std::string_view source;  ///< Document and its year, with the nominal rate.
};

// The catalogue: every constant of hardware that Berth ships, oldest first, each row with its
// source and year. Files of topologies and clusters override all of it.
[[nodiscard]] std::span<const Accelerator> accelerators();
[[nodiscard]] std::span<const NodeLink> node_links();
[[nodiscard]] std::span<const LinkRate> link_rates();

/// @throws InternalError for a name that is not in link_rates().
[[nodiscard]] const LinkRate& link_rate(std::string_view name);

/// A device of that type, named `name`. @throws InputError naming the nearest accelerator.
[[nodiscard]] DeviceSpec make_device(std::string_view accelerator, std::string_view name);

}  // namespace berth::datasets
