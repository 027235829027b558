// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "berth/topology.hpp"

namespace berth::datasets {

/// A topology that can be asked for by name.
struct Preset {
  std::string_view name;
  std::string_view summary;
  std::size_t fixed_devices;  ///< 0: any count, written after a colon.
  Topology (*make)(std::size_t devices);
};

[[nodiscard]] std::span<const Preset> presets();

}  // namespace berth::datasets
