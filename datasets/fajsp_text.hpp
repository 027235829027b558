// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// Reads a flexible assembly job-shop: `ops precedences devices`, then `from to job` for each
/// precedence, then `count (device duration) x count` for each op; a device that is not listed
/// cannot run the op. Edges carry nothing. One unit is one second.
/// @throws InputError "file:line: found; expected".
[[nodiscard]] Graph read_fajsp(const SourceText& source, Logger& logger);

}  // namespace berth::datasets
