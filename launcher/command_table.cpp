// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "berth/config.hpp"
#include "berth/error.hpp"
#include "berth/version.hpp"

#include "command.hpp"
#include "commands.hpp"
#include "error_report.hpp"
#include "farm/stop_signal.hpp"
#include "job_ranks.hpp"

namespace berth::launcher {
namespace {

void print_help() {
  std::printf(
      "berth %s: decides where work runs\n\n"
      "usage: berth COMMAND [options]    berth COMMAND --help    berth --version\n\ncommands:\n",
      std::string(kVersion).c_str());
  for (const Command& command : commands()) {
    std::printf(
        "  %-12s %s\n", std::string(command.name).c_str(), std::string(command.summary).c_str());
  }
  std::printf(
      "\nexit codes: 0 ok, 1 run failed, 2 bad usage or input, 3 plugin, 4 solver (infeasible),\n"
      "            70 bug, 75 stopped by a signal with a checkpoint written, 128 + N interrupted "
      "by\n"
      "            signal N with nothing written\n");
}

/// A message that starts with the command it is about, "berth train: ...", needs no other name.
int report(ExitCode code, std::string_view what) {
  std::fprintf(stderr,
               "%s%.*s\n",
               what.starts_with("berth ") ? "" : "berth: ",
               static_cast<int>(what.size()),
               what.data());
  return static_cast<int>(code);
}

/// The exit code of `action`, and one line for what it throws.
template <class Action>
int reported(const Action& action) {
  try {
    return action();
  } catch (const std::exception& error) {
    const ErrorReport found = report_of(error);
    return report(found.code, found.text);
  } catch (...) {
    return report(ExitCode::kInternal, "unknown exception; this is a bug in berth");
  }
}

int run_checked(std::span<const std::string> words) {
  if (words.empty() || words[0] == "--help" || words[0] == "help") {
    print_help();
    return words.empty() ? static_cast<int>(ExitCode::kBadInput) : 0;
  }
  if (words[0] == "--version") {
    std::printf("berth %s\n", std::string(kVersion).c_str());
    return 0;
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == words[0]) {
      const auto rest = words.subspan(1);
      return command.uses_ranks ? command.run(rest) : run_on_first_rank(command.run, rest);
    }
    names.emplace_back(command.name);
  }
  const std::string near = nearest_name(words[0], names);
  throw InputError("unknown command '" + words[0] + "'; " +
                   (near.empty() ? "see berth --help" : "did you mean '" + near + "'?"));
}

}  // namespace

std::span<const Command> commands() {
  static const std::vector<Command> kCommands = {
      {"place", "place the ops of a graph on devices by one policy", run_place},
      {"compare", "run several policies on several graphs at stated budgets", run_compare},
      {"plan", "plan distributed training: stages, degrees and devices", run_plan, true},
      {"simulate", "play given placements in the simulator", run_simulate},
      {"execute", "run placements on real devices", run_execute, true},
      {"calibrate", "fit the cost model to real devices", run_calibrate},
      {"train", "train a policy, alone or under mpirun", run_train, true},
      {"checkpoint", "show a checkpoint, or what differs between two", run_checkpoint},
      {"plugins", "list plugins, what they offer, and what was refused and why", run_plugins},
      {"options", "show the options of an algorithm, or of all", run_options},
      {"graph", "read, check, convert and generate graphs", run_graph},
      {"schedule", "play a job trace on a cluster under schedulers", run_schedule, true},
      {"bench", "run a paper's comparisons again, published numbers beside them", run_bench, true},
  };
  return kCommands;
}

int run_on_first_rank(int (*run)(std::span<const std::string> words),
                      std::span<const std::string> words) {
  return JobRanks::run([&](const JobRanks& ranks) {
    return ranks.rank() == 0 ? reported([&] { return run(words); }) : 0;
  });
}

int run_command_line(std::span<const std::string> words) {
  return reported([&] {
    const int code = run_checked(words);
    // A failed write before this flush has already thrown its part of the output away.
    // A run that was stopped has its checkpoint, and perhaps no terminal any more.
    const bool fails = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    if (fails && code != kStoppedBySignal) {
      return report(ExitCode::kRunFailed, "standard output: cannot write; is the disk full?");
    }
    return code;
  });
}

}  // namespace berth::launcher
