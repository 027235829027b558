// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "jobs.hpp"

#include "berth/error.hpp"

#include "language.hpp"
#include "net_job.hpp"
#include "sample_set.hpp"
#include "shipped_file.hpp"

namespace berth::training {
namespace {

SampleSet digits_of(const Config& config) {
  const std::string& file = config.text("data");
  return read_digits(file.empty() ? shipped_file("digits.csv") : file);
}

std::uint64_t data_seed(const Config& config) {
  return static_cast<std::uint64_t>(config.integer("data_seed"));
}

std::size_t count(const Config& config, const char* name) {
  return static_cast<std::size_t>(config.integer(name));
}

}  // namespace

std::unique_ptr<TrainingJob> make_digits_mlp(const HostServices& host) {
  ModelShape shape;
  shape.kind = ModelKind::kMlp;
  shape.features = 64;
  shape.classes = 10;
  shape.hidden = host.config->integer("hidden");
  shape.layers = host.config->integer("layers");
  return std::make_unique<NetJob>(shape, digits_of(*host.config), ScoreKind::kAccuracy, host);
}

std::unique_ptr<TrainingJob> make_digits_cnn(const HostServices& host) {
  ModelShape shape;
  shape.kind = ModelKind::kCnn;
  shape.classes = 10;
  shape.hidden = host.config->integer("channels");
  return std::make_unique<NetJob>(shape, digits_of(*host.config), ScoreKind::kAccuracy, host);
}

std::unique_ptr<TrainingJob> make_lstm_language(const HostServices& host) {
  const Config& config = *host.config;
  std::string file = config.text("data");
  const bool is_grammar = config.text("corpus") == "grammar";
  if (is_grammar && !file.empty()) {
    throw InputError("option corpus: grammar, and data is " + file + "; expected one of them");
  }
  if (!is_grammar && file.empty()) {
    file = shipped_file("alice.txt");
  }
  const TokenText text =
      is_grammar
          ? TokenText{make_grammar_text(count(config, "words"), data_seed(config)), kGrammarWords}
          : read_text_bytes(file);
  ModelShape shape;
  shape.kind = ModelKind::kLstm;
  shape.classes = static_cast<std::int64_t>(text.vocabulary);
  shape.hidden = config.integer("hidden");
  shape.length = config.integer("length");
  return std::make_unique<NetJob>(
      shape,
      make_windows(text, count(config, "length"), is_grammar ? "option words" : file),
      ScoreKind::kPerplexity,
      host);
}

std::unique_ptr<TrainingJob> make_matrix_factors(const HostServices& host) {
  const Config& config = *host.config;
  RatingRule rule;
  rule.users = count(config, "users");
  rule.items = count(config, "items");
  rule.rank = count(config, "true_rank");
  rule.ratings = count(config, "ratings");
  rule.noise = config.real("noise");
  ModelShape shape;
  shape.kind = ModelKind::kFactors;
  shape.hidden = config.integer("rank");
  shape.users = config.integer("users");
  shape.items = config.integer("items");
  return std::make_unique<NetJob>(
      shape, make_ratings(rule, data_seed(config)), ScoreKind::kRmse, host);
}

std::unique_ptr<TrainingJob> make_friedman_mlp(const HostServices& host) {
  const Config& config = *host.config;
  ModelShape shape;
  shape.kind = ModelKind::kMlp;
  shape.features = 10;
  shape.hidden = config.integer("hidden");
  shape.layers = config.integer("layers");
  return std::make_unique<NetJob>(
      shape,
      make_friedman(count(config, "samples"), config.real("noise"), data_seed(config)),
      ScoreKind::kRmse,
      host);
}

}  // namespace berth::training
