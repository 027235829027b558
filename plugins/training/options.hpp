// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>

#include "berth/plugin_abi.h"

namespace berth::training {

/// An option of a number, a file, or a choice.
constexpr berth_option_spec integer_option(const char* name,
                                           const char* value,
                                           double least,
                                           double most,
                                           const char* unit,
                                           const char* help) {
  return {name, BERTH_OPTION_INTEGER, value, least, most, unit, "", help};
}
constexpr berth_option_spec real_option(
    const char* name, const char* value, double least, double most, const char* help) {
  return {name, BERTH_OPTION_REAL, value, least, most, "", "", help};
}
constexpr berth_option_spec choice_option(const char* name,
                                          const char* value,
                                          const char* choices,
                                          const char* help) {
  return {name, BERTH_OPTION_CHOICE, value, 0, 0, "", choices, help};
}
constexpr berth_option_spec file_option(const char* help) {
  return {"data", BERTH_OPTION_TEXT, "", 0, 0, "", "", help};
}

inline constexpr std::size_t kCommonOptions = 8;

/// The options of one job behind those of all.
template <std::size_t Own>
constexpr std::array<berth_option_spec, kCommonOptions + Own> with_common(
    const char* batch, const char* learning_rate, const std::array<berth_option_spec, Own>& own) {
  std::array<berth_option_spec, kCommonOptions + Own> all = {
      integer_option("batch", batch, 1, 65536, "samples", "Samples of a step."),
      choice_option("optimizer", "adam", "adam,sgd", "Adam, or SGD with momentum."),
      real_option("learning_rate", learning_rate, 0, 100, "Step size at the start."),
      real_option("momentum", "0.9", 0, 0.9999, "Momentum of SGD; first moment of Adam."),
      real_option("weight_decay", "0", 0, 10, "Part of each weight added to its gradient."),
      choice_option(
          "schedule", "constant", "constant,cosine", "Learning rate over the schedule's steps."),
      integer_option("schedule_steps",
                     "0",
                     0,
                     1e12,
                     "steps",
                     "Steps until a cosine has fallen to zero; 0: constant."),
      integer_option("threads", "1", 1, 256, "threads", "Threads of one step."),
  };
  for (std::size_t i = 0; i < Own; ++i) {
    all[kCommonOptions + i] = own[i];
  }
  return all;
}

inline constexpr auto kMlpOptions = with_common<3>(
    "32",
    "0.003",
    {{file_option("CSV of 8x8 digits: 64 pixels 0..16 and the class, a row each; none: "
                  "the digits that ship."),
      integer_option("hidden", "64", 1, 4096, "units", "Width of the hidden layers."),
      integer_option("layers", "1", 1, 8, "layers", "Hidden layers.")}});

inline constexpr auto kCnnOptions = with_common<2>(
    "32",
    "0.003",
    {{file_option("CSV of 8x8 digits: 64 pixels 0..16 and the class, a row each; none: "
                  "the digits that ship."),
      integer_option(
          "channels", "8", 1, 256, "", "Of the first convolution; twice of the next.")}});

inline constexpr auto kLstmOptions = with_common<6>(
    "16",
    "0.005",
    {{file_option("Text to learn byte by byte, in place of the corpus."),
      choice_option(
          "corpus",
          "alice",
          "alice,grammar",
          "Alice's Adventures in Wonderland, which ships, byte by byte; or sentences of a "
          "stochastic grammar, word by word."),
      integer_option("hidden", "48", 1, 4096, "units", "Of the embedding and the LSTM."),
      integer_option("length", "24", 2, 1024, "tokens", "Of a window."),
      integer_option("words", "24000", 1000, 1e7, "words", "Of the generated text."),
      integer_option("data_seed", "1", 0, 4294967295.0, "", "Of the generated text.")}});

inline constexpr auto kFactorOptions = with_common<7>(
    "64",
    "0.01",
    {{integer_option("rank", "8", 1, 512, "factors", "Of the model."),
      integer_option("users", "200", 2, 1e6, "", "Of the generated ratings."),
      integer_option("items", "150", 2, 1e6, "", "Of the generated ratings."),
      integer_option("true_rank", "4", 1, 512, "factors", "Of the rule behind the ratings."),
      integer_option("ratings", "15000", 100, 1e7, "", "Number of ratings."),
      real_option("noise", "0.3", 0, 100, "Deviation of the ratings' noise: the RMSE's floor."),
      integer_option("data_seed", "1", 0, 4294967295.0, "", "Of the generated ratings.")}});

inline constexpr auto kFriedmanOptions = with_common<5>(
    "32",
    "0.003",
    {{integer_option("hidden", "64", 1, 4096, "units", "Width of the hidden layers."),
      integer_option("layers", "2", 1, 8, "layers", "Hidden layers."),
      integer_option("samples", "4000", 100, 1e7, "", "Number of samples."),
      real_option("noise", "1", 0, 1000, "Deviation of the targets' noise: the RMSE's floor."),
      integer_option("data_seed", "1", 0, 4294967295.0, "", "Of the generated samples.")}});

}  // namespace berth::training
