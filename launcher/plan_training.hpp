// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "command_line.hpp"
#include "job_ranks.hpp"

namespace berth::launcher {

/// Declares the options of `berth plan MODEL --cluster CLUSTER`.
void add_training_options(CommandLine& line);

/// Plans (or, with --evaluate, prices) the training of `model`, over all `ranks`; the first of them
/// prints and writes what was asked for. @return the exit code. @throws SolverError if nothing
/// fits, with the reason.
int plan_training(const CommandLine& line, const std::string& model, JobRanks& ranks);

}  // namespace berth::launcher
