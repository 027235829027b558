// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace berth::launcher {

/// One subcommand of the executable: a row of the table, a file `command_<name>.cpp`.
struct Command {
  std::string_view name;
  std::string_view summary;                        ///< One line for `berth --help`.
  int (*run)(std::span<const std::string> words);  ///< Words after the name; returns exit code.
  /// Divides its work over the ranks of mpirun; else the first of them runs it alone.
  bool uses_ranks = false;
};

/// All subcommands, in the order of `berth --help`.
[[nodiscard]] std::span<const Command> commands();

/// Runs what one process does, under mpirun by the first rank while the others wait; turns every
/// exception into one line on standard error and its exit code.
int run_on_first_rank(int (*run)(std::span<const std::string> words),
                      std::span<const std::string> words);

/// Runs `berth WORDS...`: finds the command, turns every exception into one line on standard
/// error and its exit code.
int run_command_line(std::span<const std::string> words);

}  // namespace berth::launcher
