// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "berth/config.hpp"
#include "berth/error.hpp"

#include "command.hpp"
#include "commands.hpp"

namespace berth::launcher {
namespace {

/// A comparison that can be run again: a row here, a file `bench_<name>.cpp`.
struct Comparison {
  std::string_view name;
  std::string_view summary;
  int (*run)(std::span<const std::string> words);  ///< Words after the name.
  bool uses_ranks = false;                         ///< As of Command.
};

constexpr std::array kComparisons = {
    Comparison{"doppler",
               "learned and other placers on the DOPPLER paper's workloads, simulated",
               run_bench_doppler,
               true},
    Comparison{"hadar", "Hadar and HadarE beside Gavel, Sia, Tiresias and others", run_bench_hadar},
    Comparison{
        "nest", "every planner on the NEST paper's cases under one evaluator", run_bench_nest},
};

void print_bench_help() {
  std::printf(
      "usage: berth bench NAME [options]    berth bench NAME --help\n\n"
      "Runs the comparisons of a paper again, published numbers beside "
      "those measured.\n\n"
      "names:\n");
  for (const Comparison& comparison : kComparisons) {
    std::printf("  %-12s %s\n",
                std::string(comparison.name).c_str(),
                std::string(comparison.summary).c_str());
  }
}

}  // namespace

int run_bench(std::span<const std::string> words) {
  if (!words.empty() && words[0] == "--help") {
    print_bench_help();
    return 0;
  }
  std::vector<std::string> names;
  std::string known;
  for (const Comparison& comparison : kComparisons) {
    if (!words.empty() && comparison.name == words[0]) {
      const auto rest = words.subspan(1);
      return comparison.uses_ranks ? comparison.run(rest) : run_on_first_rank(comparison.run, rest);
    }
    names.emplace_back(comparison.name);
    known += (known.empty() ? "" : ", ") + names.back();
  }
  if (words.empty()) {
    throw InputError("bench: no name; expected one of " + known);
  }
  const std::string near = nearest_name(words[0], names);
  throw InputError("bench: '" + words[0] + "'; " +
                   (near.empty() ? "expected one of " + known : "did you mean '" + near + "'?"));
}

}  // namespace berth::launcher
