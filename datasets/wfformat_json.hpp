// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// Bandwidth that turns the bytes of a WfFormat edge into a transfer time: 1 GB/s.
inline constexpr double kWfFormatBytesPerSecond = 1e9;

/// Reads a WfFormat 1.5 workflow (JSON): tasks by id, runtimes from workflow.execution, a
/// dependency for each parent and child. An edge takes the size of the files that the parent
/// writes and the child reads at kWfFormatBytesPerSecond; output_bytes are all files a task writes.
/// One unit is one second.
/// @throws InputError "file:/workflow/...: found; expected".
[[nodiscard]] Graph read_wfformat(const SourceText& source, Logger& logger);

}  // namespace berth::datasets
