// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "command_line.hpp"

namespace berth::launcher {

/// `berth bench nest --artifact DIR`: the planner files of the NEST artifact in DIR or DIR/inputs
/// and the fixed plans in them, as the artifact scores them and scored right.
int run_bench_nest_artifact(const CommandLine& line);

}  // namespace berth::launcher
