// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <string>
#include <vector>

#include "command.hpp"

int main(int argc, char** argv) {
  // Where both streams go to one file, their lines stay in the order in which they were written.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::vector<std::string> words(argv + 1, argv + argc);
  return berth::launcher::run_command_line(words);
}
