// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// Reads a table of heterogeneous times: sections #critical (ignored), #tasks `id: t0, t1, ...`
/// with a time for each device, #edges `id: from, to, cost`, #end. One unit is one second.
/// @throws InputError "file:line: found; expected".
[[nodiscard]] Graph read_hetero_table(const SourceText& source, Logger& logger);

}  // namespace berth::datasets
