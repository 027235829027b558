// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "command_line.hpp"

namespace berth::launcher {

/// Declares the options of `berth plan --layer-schedule FILE`.
void add_operator_options(CommandLine& line);

/// Schedules the operators of every graph of the file, or solves an integer program (.lp); prints
/// makespan, bound, gap and certificate. @return the exit code.
int plan_operators(const CommandLine& line);

}  // namespace berth::launcher
