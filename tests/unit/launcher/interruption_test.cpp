// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// Commands that last, ended by SIGINT, SIGTERM or SIGHUP.

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace berth::launcher {
namespace {

struct Ended {
  int exit_code = -1;  ///< -1: by the signal itself.
  std::string standard_error;
};

/// Whether the process has a handler for the signal, by the mask that the kernel shows of it.
bool catches(pid_t pid, int signal) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigCgt:")) {
      return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1U) != 0;
    }
  }
  return false;
}

/// Runs `berth WORDS` and sends it `signal` as soon as it heeds signals.
/// @param rank of an MPI job that it takes itself for; "": none.
Ended interrupted(const std::string& words, int signal, const std::string& rank = "") {
  const std::string file = ::testing::TempDir() + "interrupted_" + std::to_string(getpid());
  std::vector<std::string> list = {std::string(BERTH_BINARY_DIR) + "/bin/berth"};
  std::istringstream text(words);
  list.insert(list.end(), std::istream_iterator<std::string>(text), {});
  std::vector<char*> arguments;
  for (std::string& word : list) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    for (const int any : {SIGHUP, SIGINT, SIGTERM}) {
      ::signal(any, SIG_DFL);  // whoever runs the tests may ignore it
    }
    if (!rank.empty()) {
      setenv("PMI_RANK", rank.c_str(), 1);
    }
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  while (!catches(pid, signal) && waitpid(pid, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(pid, signal);
  waitpid(pid, &status, 0);
  std::ifstream error(file);
  Ended ended{WIFEXITED(status) ? WEXITSTATUS(status) : -1,
              {std::istreambuf_iterator<char>(error), {}}};
  std::filesystem::remove(file);
  return ended;
}

// Each takes hours if it is let.
constexpr const char* kLong[] = {
    "place random:layered:300 --topology uniform:4 --policy annealing --seconds 20000",
    "compare random:layered:300 --topology uniform:4 --policies annealing,local-search --seconds "
    "20000",
#ifdef BERTH_HAS_CPU
    "execute random:layered:300 --topology cpu:2 --policies annealing --seconds 20000",
#endif
    "plan llama3-70b --cluster h100-spineleaf-512 --planner mcmc(evaluations=1000000000000)",
};

TEST(Interruption, IsOneLineAndTheSignalsExitCodeInEveryCommandThatLasts) {
  for (const char* words : kLong) {
    const Ended by_user = interrupted(words, SIGINT);
    EXPECT_EQ(by_user.exit_code, 130) << words;
    EXPECT_EQ(by_user.standard_error,
              "berth: interrupted by signal 2 (SIGINT); what was not yet written is lost\n");
    const Ended by_terminal = interrupted(words, SIGHUP);
    EXPECT_EQ(by_terminal.exit_code, 129) << words;
    EXPECT_EQ(by_terminal.standard_error,
              "berth: interrupted by signal 1 (SIGHUP); what was not yet written is lost\n");
    const Ended by_scheduler = interrupted(words, SIGTERM);
    EXPECT_EQ(by_scheduler.exit_code, 143) << words;
    EXPECT_EQ(by_scheduler.standard_error,
              "berth: interrupted by signal 15 (SIGTERM); what was not yet written is lost\n");
  }
}

TEST(Interruption, IsToldByTheFirstRankOfAJobAlone) {
  EXPECT_NE(interrupted(kLong[0], SIGTERM, "0").standard_error, "");
  const Ended second = interrupted(kLong[0], SIGTERM, "1");
  EXPECT_EQ(second.exit_code, 143);
  EXPECT_EQ(second.standard_error, "");
}

TEST(Interruption, LeavesThePlacementThatIsThere) {
  const std::string file = ::testing::TempDir() + "kept_" + std::to_string(getpid());
  std::ofstream(file) << "kept\n";

  EXPECT_EQ(interrupted(kLong[0] + (" --out " + file), SIGINT).exit_code, 130);

  std::ifstream in(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "kept\n");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace berth::launcher
