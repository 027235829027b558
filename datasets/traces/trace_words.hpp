// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "throughput_table.hpp"
#include "trace_reader.hpp"

namespace berth::datasets {

/// Jobs from a file (read_trace()), or from a word:
///  - "generated:JOBS", "generated:JOBS:GAP" or "generated:JOBS:GAP:SEED": jobs of Gavel's
///    generator (generate_trace()), GAP the mean seconds between arrivals, 0: all at time 0;
///  - "mix:JOBS": ResNet-18 b128, LM b80, Transformer b64, Recommendation b2048 and ResNet-50 b64
///    in turn, one accelerator each, 1.5 hours on a V100: the mixes of HadarE's evaluation, as far
///    as they are known.
/// A word that names an existing file is a file. Words need a table with "v100".
/// @throws InputError naming the word and what was expected.
[[nodiscard]] std::vector<TraceJob> make_trace(const std::string& word_or_file,
                                               const std::optional<ThroughputTable>& table);

/// The mix of so many jobs.
[[nodiscard]] std::vector<TraceJob> make_mix(std::uint32_t jobs, const ThroughputTable& table);

}  // namespace berth::datasets
