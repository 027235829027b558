// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <vector>

#include "throughput_table.hpp"
#include "trace_reader.hpp"

namespace berth::datasets {

/// Jobs drawn like Gavel's generator: a seed gives the same trace as the Python original.
struct TraceGeneratorOptions {
  std::uint32_t num_jobs = 480;
  std::uint32_t seed = 0;
  double mean_gap_seconds = 0.0;  ///< Exponential gaps between arrivals; 0: all at time 0.
  bool gangs = true;              ///< Gangs of 1, 2, 4, 8 for 70, 10, 15, 5 %; else one GPU each.
};

/// Durations are log-uniform: 80 % from 32 min to 17 h, 20 % from 17 h to 7 days on V100s.
/// Source: stanford-futuredata/gavel, utils.py.
/// @param table Needs the 26 job types of Gavel's tables on "v100".
[[nodiscard]] std::vector<TraceJob> generate_trace(const TraceGeneratorOptions& options,
                                                   const ThroughputTable& table);

/// Writes the CSV form with the column model that read_trace() takes back.
void write_trace_csv(std::span<const TraceJob> jobs, std::ostream& out);

}  // namespace berth::datasets
