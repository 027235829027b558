// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "berth/topology.hpp"

#include "source_text.hpp"

namespace berth::datasets {

inline constexpr int kBerthTopologyVersion = 1;

/// Reads Berth topology JSON (FORMATS.md): devices, links and routes, every quantity with a unit.
/// @throws InputError such as "t.json:/links/3/bandwidth: '12' has no unit (e.g. '12GB/s')".
[[nodiscard]] Topology read_topology_json(const SourceText& source);

/// Reading it back gives the same hash.
[[nodiscard]] std::string write_topology_json(const Topology& topology);

}  // namespace berth::datasets
