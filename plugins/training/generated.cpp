// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <numbers>

#include "normal.hpp"
#include "sample_set.hpp"

namespace berth::training {
namespace {

enum Stream : std::uint64_t { kFactors = 1, kPairs = 2, kInputs = 3 };

SampleSet split(SampleSet set, std::size_t train_percent) {
  const std::size_t samples = set.values.size();
  const std::size_t held_out = (100 - train_percent) / 2;
  set.train = {0, samples * train_percent / 100};
  set.validation = {set.train.end, samples * (train_percent + held_out) / 100};
  set.test = {set.validation.end, samples};
  return set;
}

}  // namespace

SampleSet make_ratings(const RatingRule& rule, std::uint64_t seed) {
  constexpr double kMean = 3.0;
  Rng factors_rng(seed, {kFactors});
  std::vector<double> factors((rule.users + rule.items) * rule.rank);
  for (double& factor : factors) {
    factor = normal(factors_rng) / std::sqrt(std::sqrt(static_cast<double>(rule.rank)));
  }
  SampleSet set;
  set.num_ids = 2;
  Rng rng(seed, {kPairs});
  for (std::size_t i = 0; i < rule.ratings; ++i) {
    const std::size_t user = rng.below(rule.users);
    const std::size_t item = rng.below(rule.items);
    double rating = kMean + rule.noise * normal(rng);
    for (std::size_t k = 0; k < rule.rank; ++k) {
      rating += factors[user * rule.rank + k] * factors[(rule.users + item) * rule.rank + k];
    }
    set.ids.push_back(static_cast<std::int64_t>(user));
    set.ids.push_back(static_cast<std::int64_t>(item));
    set.values.push_back(static_cast<float>(rating));
  }
  return split(std::move(set), 80);
}

SampleSet make_friedman(std::size_t samples, double noise, std::uint64_t seed) {
  SampleSet set;
  set.num_features = 10;
  Rng rng(seed, {kInputs});
  for (std::size_t i = 0; i < samples; ++i) {
    double x[10];
    for (double& feature : x) {
      feature = rng.uniform();
      set.features.push_back(static_cast<float>(feature));
    }
    const double y = 10.0 * std::sin(std::numbers::pi * x[0] * x[1]) +
                     20.0 * (x[2] - 0.5) * (x[2] - 0.5) + 10.0 * x[3] + 5.0 * x[4];
    set.values.push_back(static_cast<float>(y + noise * normal(rng)));
  }
  return split(std::move(set), 60);
}

}  // namespace berth::training
