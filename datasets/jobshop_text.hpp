// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// Reads a job-shop in the form of JSPLIB: `jobs devices`, then for each job the pairs
/// `device duration` of its ops in order; '#' starts a comment. Every op is bound to its device.
/// One unit is one second.
/// @throws InputError "file:line: found; expected".
[[nodiscard]] Graph read_jobshop(const SourceText& source, Logger& logger);

}  // namespace berth::datasets
