// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

namespace berth::launcher {

// One function per subcommand, each in its own command_<name>.cpp.
int run_calibrate(std::span<const std::string> words);
int run_checkpoint(std::span<const std::string> words);
int run_compare(std::span<const std::string> words);
int run_options(std::span<const std::string> words);
int run_execute(std::span<const std::string> words);
int run_graph(std::span<const std::string> words);
int run_place(std::span<const std::string> words);
int run_plan(std::span<const std::string> words);
int run_plugins(std::span<const std::string> words);
int run_simulate(std::span<const std::string> words);
int run_train(std::span<const std::string> words);
int run_schedule(std::span<const std::string> words);
/// `berth schedule --execute`, which has a page of options of its own.
int run_schedule_execute(std::span<const std::string> words);
int run_bench(std::span<const std::string> words);

// One function per comparison of `berth bench`, each in its own bench_<name>.cpp.
int run_bench_doppler(std::span<const std::string> words);
int run_bench_hadar(std::span<const std::string> words);
int run_bench_nest(std::span<const std::string> words);

}  // namespace berth::launcher
