// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trace_reader.hpp"

namespace berth::datasets {

/// Jobs of a "berth.jobs/1" document. @throws InputError naming file and JSON pointer.
[[nodiscard]] std::vector<TraceJob> parse_trace_json(const std::string& file,
                                                     const std::string& text);

}  // namespace berth::datasets
