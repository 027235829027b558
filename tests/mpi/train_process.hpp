// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace berth::testing {

/// What a finished process left behind.
struct Finished {
  int code = 0;  ///< Exit code; 128 + signal if a signal ended it.
  std::string out;
  std::string err;
};

/// A process of this test, its output in files.
class Process {
 public:
  Process(const std::vector<std::string>& words, const std::filesystem::path& output_prefix);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  ///< Kills it if it is still there.

  void signal(int number) const;
  [[nodiscard]] pid_t id() const noexcept { return pid_; }
  [[nodiscard]] bool is_running();
  [[nodiscard]] Finished wait();

 private:
  std::filesystem::path prefix_;
  pid_t pid_ = -1;
  int status_ = 0;
};

/// A folder of one test, which goes with it, and the commands that run there.
class RunFolder {
 public:
  explicit RunFolder(const std::string& name);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return folder_ / name;
  }
  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string content(const std::string& name) const;

 private:
  std::filesystem::path folder_;
};

/// Words of `berth ...`, under mpirun if ranks > 0.
[[nodiscard]] std::vector<std::string> berth_words(int ranks,
                                                   const std::vector<std::string>& words);

/// A folder with a graph, a campaign of the table policy, and runs.
class TrainFixture : public RunFolder {
 public:
  TrainFixture();

  /// Words of `berth train campaign.toml --out <run> ...`, under mpirun if ranks > 0.
  [[nodiscard]] std::vector<std::string> words(int ranks,
                                               const std::string& run,
                                               const std::vector<std::string>& more = {}) const;
  [[nodiscard]] Finished train(int ranks,
                               const std::string& run,
                               const std::vector<std::string>& more = {}) const;

  /// metrics.jsonl of a run without the fields that hold times.
  [[nodiscard]] std::string timeless_metrics(const std::string& run) const;
};

}  // namespace berth::testing
