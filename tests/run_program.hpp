// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace berth::testing {

/// What a finished program left.
struct ProgramResult {
  int exit_code = -1;  ///< -1 for a program that died of a signal.
  std::string standard_output;
  std::string standard_error;
};

/// Runs a shell command line and waits for its end.
inline ProgramResult run_program(const std::string& command) {
  const std::string error_file = ::testing::TempDir() + "berth_stderr_" + std::to_string(getpid());
  ProgramResult result;
  std::FILE* const pipe = popen((command + " 2>" + error_file).c_str(), "r");
  if (pipe == nullptr) {
    ADD_FAILURE() << "cannot run " << command;
    return result;
  }
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    result.standard_output.append(buffer, n);
  }
  const int status = pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ifstream error(error_file);
  result.standard_error.assign(std::istreambuf_iterator<char>(error), {});
  std::filesystem::remove(error_file);
  return result;
}

/// The `berth` executable of this build with these words.
inline ProgramResult run_berth(const std::string& words, const std::string& environment = {}) {
  return run_program(environment + " '" + BERTH_BINARY_DIR + "/bin/berth' " + words);
}

}  // namespace berth::testing
