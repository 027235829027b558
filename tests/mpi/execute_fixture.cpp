// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execute_fixture.hpp"

#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace berth::testing {

ExecuteFixture::ExecuteFixture() {
  std::string name = (std::filesystem::temp_directory_path() / "berth-execute-XXXXXX").string();
  folder_ = ::mkdtemp(name.data());
  write("mix.toml", kStepMix);
}

ExecuteFixture::~ExecuteFixture() {
  std::filesystem::remove_all(folder_);
}

void ExecuteFixture::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

std::vector<std::string> ExecuteFixture::words(int ranks,
                                               const std::string& run,
                                               const std::vector<std::string>& more) const {
  std::vector<std::string> words;
  if (ranks > 0) {
    words = {"mpirun", "--timeout", "50", "--bind-to", "none", "--mca", "btl", "self,vader", "-np"};
    words.push_back(std::to_string(ranks));
  }
  for (const std::string& word : {std::string(BERTH_EXECUTABLE),
                                  std::string("schedule"),
                                  (folder_ / "mix.toml").string(),
                                  std::string("--execute"),
                                  std::string("--plugin"),
                                  std::string(BERTH_LINE_PLUGIN)}) {
    words.push_back(word);
  }
  if (!run.empty()) {
    words.push_back("--out");
    words.push_back((folder_ / run).string());
  }
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Finished ExecuteFixture::execute(int ranks,
                                 const std::string& run,
                                 const std::vector<std::string>& more) const {
  return Process(words(ranks, run, more), folder_ / (run + "-log")).wait();
}

std::string ExecuteFixture::content(const std::string& name) const {
  std::ifstream in(folder_ / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<nlohmann::json> ExecuteFixture::rounds(const std::string& run) const {
  std::vector<nlohmann::json> rounds;
  std::istringstream in(content(run + "/rounds.jsonl"));
  for (std::string line; std::getline(in, line);) {
    rounds.push_back(nlohmann::json::parse(line));
  }
  return rounds;
}

}  // namespace berth::testing
