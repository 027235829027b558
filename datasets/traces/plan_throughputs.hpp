// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>

#include "throughput_table.hpp"

namespace berth::datasets {

/// A throughput table from plans and placements: every file JOB@ACCELERATOR@GANG.json of a folder
/// is one entry, for example "llama2-7b@h100@8.json" or "ResNet-18 (batch size 64)@v100@1.json". It
/// holds what `berth plan --out` wrote or `berth plan --json` or `berth place --json` printed: one
/// JSON document with seconds_per_batch, or with makespan_seconds. A step is one batch, or one run
/// of the graph, of the whole gang. Both rates, in one machine and over several, are that number:
/// a plan knows the network that it was made for.
/// @throws InputError naming file and field; an empty folder too.
[[nodiscard]] ThroughputTable read_plan_throughputs(const std::filesystem::path& folder);

}  // namespace berth::datasets
