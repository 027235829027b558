// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execute_fixture.hpp"

#include <sstream>

namespace berth::testing {

ExecuteFixture::ExecuteFixture() : RunFolder("execute") {
  write("mix.toml", kStepMix);
}

std::vector<std::string> ExecuteFixture::words(int ranks,
                                               const std::string& run,
                                               const std::vector<std::string>& more) const {
  std::vector<std::string> words = {
      "schedule", (*this / "mix.toml").string(), "--execute", "--plugin", BERTH_LINE_PLUGIN};
  if (!run.empty()) {
    words.insert(words.end(), {"--out", (*this / run).string()});
  }
  words.insert(words.end(), more.begin(), more.end());
  return berth_words(ranks, words);
}

Finished ExecuteFixture::execute(int ranks,
                                 const std::string& run,
                                 const std::vector<std::string>& more) const {
  return Process(words(ranks, run, more), *this / (run + "-log")).wait();
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
