// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sample_set.hpp"

namespace berth::training {

/// Words of a stochastic grammar, as numbers 0 .. kGrammarWords-1. A sentence is
///
///     phrase(n) verb(n) phrase(m) stop,   phrase(n) = determiner(n) adjective* noun(n)
///
/// with the numbers n and m (singular, plural) even odds, another adjective with probability 0.4,
/// and of each list of k words the i-th with a probability in proportion to 1/i (Zipf). A verb
/// agrees with its subject however many adjectives stand between.
inline constexpr std::size_t kGrammarWords = 41;
[[nodiscard]] std::vector<std::int64_t> make_grammar_text(std::size_t words, std::uint64_t seed);

/// exp of the entropy per word of that grammar, which no model can beat in expectation: sentences
/// are independent and have one derivation each, so it is exp(H(choices) / E[words]).
[[nodiscard]] double grammar_perplexity_floor();

/// A text as numbers, and how many different ones.
struct TokenText {
  std::vector<std::int64_t> tokens;
  std::size_t vocabulary = 0;
};

/// The bytes of a file, numbered in the order of their values.
/// @throws InputError if it cannot be read.
[[nodiscard]] TokenText read_text_bytes(const std::string& file);

/// Windows of `length` + 1 tokens, each beginning where the last one ends: ids are all but the
/// last token, labels all but the first. Split 80/10/10 % in the order of the text.
/// @throws InputError naming `origin` for a text of fewer than 20 windows.
[[nodiscard]] SampleSet make_windows(const TokenText& text,
                                     std::size_t length,
                                     const std::string& origin);

}  // namespace berth::training
