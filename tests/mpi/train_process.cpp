// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "train_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <nlohmann/json.hpp>

namespace berth::testing {
namespace {

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Op times, and edges "from to time" of a graph in Berth JSON.
std::string graph_json(const std::vector<int>& work, const std::vector<std::vector<int>>& edges) {
  nlohmann::ordered_json graph = {
      {"format", "berth.graph"}, {"version", 1}, {"costs", "time"}, {"seconds_per_unit", 1}};
  graph["ops"] = nlohmann::ordered_json::array();
  for (const int time : work) {
    graph["ops"].push_back({{"time_units", time}});
  }
  graph["edges"] = nlohmann::ordered_json::array();
  for (const std::vector<int>& edge : edges) {
    graph["edges"].push_back({{"from", edge[0]}, {"to", edge[1]}, {"time_units", edge[2]}});
  }
  return graph.dump();
}

constexpr const char* kCampaign = R"(policy = "table"
seed = 5
rollouts = 12
group_size = 3
checkpoint_every = 4
incumbents = ""
problems = [
  { graph = "a.json", topology = "uniform:3" },
  { graph = "b.json", topology = "uniform:2" },
]

[[stages]]
kind = "imitation"
updates = 6

[[stages]]
kind = "simulation"
updates = 24

[table]
ops = 8
)";

}  // namespace

Process::Process(const std::vector<std::string>& words, const std::filesystem::path& output_prefix)
    : prefix_(output_prefix) {
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  const std::string out = prefix_.string() + ".out";
  const std::string err = prefix_.string() + ".err";
  pid_ = ::fork();
  if (pid_ == 0) {
    const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(out_file, STDOUT_FILENO);
    ::dup2(err_file, STDERR_FILENO);
    ::signal(SIGHUP, SIG_DFL);  // whoever runs the tests may ignore it
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
}

Process::~Process() {
  if (is_running()) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void Process::signal(int number) const {
  ::kill(pid_, number);
}

bool Process::is_running() {
  if (pid_ > 0 && ::waitpid(pid_, &status_, WNOHANG) == pid_) {
    pid_ = -1;
  }
  return pid_ > 0;
}

Finished Process::wait() {
  if (pid_ > 0) {
    ::waitpid(pid_, &status_, 0);
    pid_ = -1;
  }
  const int code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  return {code, read_text(prefix_.string() + ".out"), read_text(prefix_.string() + ".err")};
}

RunFolder::RunFolder(const std::string& name) {
  std::string path =
      (std::filesystem::temp_directory_path() / ("berth-" + name + "-XXXXXX")).string();
  folder_ = ::mkdtemp(path.data());
}

RunFolder::~RunFolder() {
  std::filesystem::remove_all(folder_);
}

void RunFolder::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

std::string RunFolder::content(const std::string& name) const {
  return read_text(folder_ / name);
}

std::vector<std::string> berth_words(int ranks, const std::vector<std::string>& words) {
  std::vector<std::string> all;
  if (ranks > 0) {
    all = {"mpirun", "--timeout", "50", "--bind-to", "none", "--mca", "btl", "self,vader", "-np"};
    all.push_back(std::to_string(ranks));
  }
  all.emplace_back(BERTH_EXECUTABLE);
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

TrainFixture::TrainFixture() : RunFolder("train") {
  write("a.json",
        graph_json({4, 3, 5, 2, 6, 3},
                   {{0, 3, 1}, {1, 3, 2}, {1, 4, 1}, {2, 4, 3}, {2, 5, 1}, {0, 5, 2}}));
  write("b.json", graph_json({7, 2, 2, 3}, {{1, 2, 1}, {2, 3, 1}}));
  write("campaign.toml", kCampaign);
}

std::vector<std::string> TrainFixture::words(int ranks,
                                             const std::string& run,
                                             const std::vector<std::string>& more) const {
  std::vector<std::string> words = {"train",
                                    (*this / "campaign.toml").string(),
                                    "--out",
                                    (*this / run).string(),
                                    "--plugin",
                                    BERTH_TABLE_PLUGIN};
  words.insert(words.end(), more.begin(), more.end());
  return berth_words(ranks, words);
}

Finished TrainFixture::train(int ranks,
                             const std::string& run,
                             const std::vector<std::string>& more) const {
  return Process(words(ranks, run, more), *this / (run + "-log")).wait();
}

std::string TrainFixture::timeless_metrics(const std::string& run) const {
  std::istringstream in(content(run + "/metrics.jsonl"));
  std::string line;
  std::string text;
  while (std::getline(in, line)) {
    nlohmann::ordered_json entry = nlohmann::ordered_json::parse(line);
    entry.erase("seconds");
    entry.erase("rollouts_per_second");
    text += entry.dump() + "\n";
  }
  return text;
}

}  // namespace berth::testing
