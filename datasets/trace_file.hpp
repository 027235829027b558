// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

#include "berth/graph.hpp"
#include "berth/topology.hpp"
#include "berth/trace.hpp"

namespace berth::datasets {

/// Writes a Chrome trace JSON, as Perfetto opens it: one track per device and stream, one per
/// link direction, flows from producer to consumer. Atomic. @throws RunError on a full disk.
void write_chrome_trace(const Trace& trace,
                        const Graph& graph,
                        const Topology& topology,
                        const std::filesystem::path& file);

}  // namespace berth::datasets
