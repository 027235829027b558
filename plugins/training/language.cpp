// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "language.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

#include "berth/error.hpp"
#include "berth/rng.hpp"

namespace berth::training {
namespace {

constexpr double kMoreAdjectives = 0.4;
constexpr std::size_t kStop = 0;

/// `count` words from `first` on, the i-th of them in proportion to 1/i.
struct WordList {
  std::size_t first;
  std::size_t count;

  [[nodiscard]] double weight() const {
    double sum = 0.0;
    for (std::size_t i = 1; i <= count; ++i) {
      sum += 1.0 / static_cast<double>(i);
    }
    return sum;
  }
  [[nodiscard]] std::int64_t draw(Rng& rng) const {
    double left = rng.uniform() * weight();
    std::size_t i = 1;
    while (i < count && left >= 1.0 / static_cast<double>(i)) {
      left -= 1.0 / static_cast<double>(i++);
    }
    return static_cast<std::int64_t>(first + i - 1);
  }
  [[nodiscard]] double entropy() const {
    double sum = 0.0;
    for (std::size_t i = 1; i <= count; ++i) {
      const double p = 1.0 / static_cast<double>(i) / weight();
      sum -= p * std::log(p);
    }
    return sum;
  }
};

// Singular, plural.
constexpr WordList kDeterminers[2] = {{1, 2}, {3, 2}};
constexpr WordList kAdjectives = {5, 8};
constexpr WordList kNouns[2] = {{13, 8}, {21, 8}};
constexpr WordList kVerbs[2] = {{29, 6}, {35, 6}};
static_assert(35 + 6 == kGrammarWords);

}  // namespace

std::vector<std::int64_t> make_grammar_text(std::size_t words, std::uint64_t seed) {
  std::vector<std::int64_t> text;
  Rng rng(seed, {0x6772616dU});
  const auto phrase = [&](std::uint64_t number) {
    text.push_back(kDeterminers[number].draw(rng));
    while (rng.uniform() < kMoreAdjectives) {
      text.push_back(kAdjectives.draw(rng));
    }
    text.push_back(kNouns[number].draw(rng));
  };
  while (text.size() < words) {
    const std::uint64_t subject = rng.below(2);
    phrase(subject);
    text.push_back(kVerbs[subject].draw(rng));
    phrase(rng.below(2));
    text.push_back(kStop);
  }
  text.resize(words);
  return text;
}

double grammar_perplexity_floor() {
  const double p = kMoreAdjectives;
  const double adjectives = p / (1.0 - p);                               // expected, geometric
  const double stopping = -p * std::log(p) - (1 - p) * std::log(1 - p);  // of one yes or no
  const double phrase = std::log(2.0) + kDeterminers[0].entropy() + kNouns[0].entropy() +
                        (adjectives + 1.0) * stopping + adjectives * kAdjectives.entropy();
  const double sentence = 2.0 * phrase + kVerbs[0].entropy();
  const double words = 2.0 * (2.0 + adjectives) + 2.0;
  return std::exp(sentence / words);
}

TokenText read_text_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw InputError(file + ": cannot be read; expected a text to learn");
  }
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::int64_t number[256];
  bool used[256] = {};
  for (const char byte : bytes) {
    used[static_cast<unsigned char>(byte)] = true;
  }
  TokenText text;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    number[byte] = static_cast<std::int64_t>(text.vocabulary);
    text.vocabulary += used[byte] ? 1 : 0;
  }
  for (const char byte : bytes) {
    text.tokens.push_back(number[static_cast<unsigned char>(byte)]);
  }
  return text;
}

SampleSet make_windows(const TokenText& text, std::size_t length, const std::string& origin) {
  constexpr std::size_t kFewest = 20;
  const std::size_t windows = text.tokens.empty() ? 0 : (text.tokens.size() - 1) / length;
  if (windows < kFewest) {
    throw InputError(origin + ": " + std::to_string(text.tokens.size()) + " tokens; expected at " +
                     "least " + std::to_string(kFewest * length + 1) + ", 20 windows of " +
                     std::to_string(length));
  }
  SampleSet set;
  set.num_ids = length;
  set.num_labels = length;
  for (std::size_t w = 0; w < windows; ++w) {
    const auto begin = text.tokens.begin() + static_cast<std::ptrdiff_t>(w * length);
    set.ids.insert(set.ids.end(), begin, begin + static_cast<std::ptrdiff_t>(length));
    set.labels.insert(set.labels.end(), begin + 1, begin + 1 + static_cast<std::ptrdiff_t>(length));
  }
  set.train = {0, windows * 80 / 100};
  set.validation = {set.train.end, windows * 90 / 100};
  set.test = {set.validation.end, windows};
  return set;
}

}  // namespace berth::training
