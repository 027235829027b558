// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "berth/cluster.hpp"
#include "berth/cluster_job.hpp"

#include "command_line.hpp"

namespace berth::launcher {

/// The jobs of a trace, priced on a cluster, and where their rates come from.
struct ScheduleInput {
  std::vector<JobSpec> jobs;
  std::string throughputs;  ///< For people: a file, or how they were estimated; empty: the trace's.
};

/// Adds --throughputs, --throughput-table, --throughputs-from-plans and --write-throughputs.
void add_throughput_arguments(CommandLine& line);

/// Reads what these and the first positional word say. @throws InputError naming the place.
[[nodiscard]] ScheduleInput read_schedule_input(const CommandLine& line, const Cluster& cluster);

}  // namespace berth::launcher
