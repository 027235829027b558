// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/logger.hpp"
#include "berth/problem.hpp"

#include "command_line.hpp"

namespace berth::launcher {

/// Declares the options that say which problems a command works on: --topology, --model,
/// --discipline, --streams, --compute-noise, --transfer-noise, --noise-seed,
/// --devices-from-name, --cases.
/// @param model_shown what help shows as the default of --model, where the command takes another
///        than `delay` by itself.
void add_problem_options(CommandLine& line, const char* model_shown = "delay");

/// Execution options of a command line. @throws InputError naming the option.
[[nodiscard]] ExecutionOptions execution_of(const CommandLine& line);

/// The execution model for a heading, with the noise where there is some: "links with noise 0.3 on
/// ops (seed 0)".
[[nodiscard]] std::string model_text(const ExecutionOptions& execution);

/// The problems of a command line: every graph file among its positional words (folders stand for
/// the files in them), each with its own device count where a case table or its name says so.
/// A problem's name is the graph's path as given.
/// @throws InputError if there is no graph, or as reading and pricing do.
[[nodiscard]] std::vector<std::shared_ptr<const PlacementProblem>> problems_of(
    const CommandLine& line, Logger& logger);

/// Warns of a graph in flops and bytes on devices without rates, whose times are as of one flop a
/// second.
void warn_without_rates(const PlacementProblem& problem, Logger& logger);

/// One graph file on a topology. Without a topology, the graph's own device table decides.
[[nodiscard]] std::shared_ptr<const PlacementProblem> load_problem(
    const std::string& graph_file,
    const std::string& topology,
    const ExecutionOptions& execution,
    std::optional<double> optimum,
    Logger& logger);

}  // namespace berth::launcher
