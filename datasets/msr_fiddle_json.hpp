// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// Reads a device-placement graph of MSR Fiddle (JSON). The devices are maxFPGAs accelerators,
/// then maxCPUs CPUs: fpgaLatency holds on the accelerators (none where supportedOnFpga is false),
/// cpuLatency on the CPUs. An edge's size is its cost, memory_bytes a node's size, the kind
/// "forward" or "backward". Colour classes and maxSizePerFPGA are not part of a graph.
/// One unit is one second.
/// @throws InputError "file:/nodes/3/cpuLatency: found; expected".
[[nodiscard]] Graph read_msr_fiddle(const SourceText& source, Logger& logger);

}  // namespace berth::datasets
