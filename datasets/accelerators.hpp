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
  double price_per_hour;             ///< US dollars for one device.
  std::string_view price_source;     ///< Offer, place and year.
};

/// The catalogue, oldest first.
[[nodiscard]] std::span<const Accelerator> accelerators();

/// A device of that type, named `name`. @throws InputError naming the nearest accelerator.
[[nodiscard]] DeviceSpec make_device(std::string_view accelerator, std::string_view name);

}  // namespace berth::datasets
