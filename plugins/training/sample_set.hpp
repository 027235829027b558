// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace berth::training {

/// Half-open range of samples.
struct SampleRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// Samples of one kind of job. A row has `num_features` numbers, `num_ids` integers, and as a
/// target either one number or `num_labels` integers; what is not used is empty.
struct SampleSet {
  std::size_t num_features = 0;
  std::size_t num_ids = 0;
  std::size_t num_labels = 0;
  std::vector<float> features;       ///< [samples, num_features]
  std::vector<std::int64_t> ids;     ///< [samples, num_ids]
  std::vector<float> values;         ///< [samples], regression targets
  std::vector<std::int64_t> labels;  ///< [samples, num_labels], classes
  SampleRange train;
  SampleRange validation;
  SampleRange test;
};

/// 8x8 handwritten digits in the CSV form of the UCI data set "Optical Recognition of Handwritten
/// Digits" (Alpaydin and Kaynak 1998): 64 counts 0..16 and the class, a row each. Features are
/// counts / 16. Rows are shuffled by a fixed rule, then split 70/15/15 %.
///
/// @throws InputError naming file, line, what was found and expected.
[[nodiscard]] SampleSet read_digits(const std::string& file);

/// Ratings of a low-rank rule: r = 3 + p_u . q_i + noise, where the numbers of p and q are normal
/// of deviation rank^(-1/4), so that ratings have deviation 1 before the noise, which is normal of
/// deviation `noise`: the least RMSE that can be expected of a model. ids: user, item. Split
/// 80/10/10 %.
struct RatingRule {
  std::size_t users = 200;
  std::size_t items = 150;
  std::size_t rank = 4;
  std::size_t ratings = 15000;
  double noise = 0.3;
};
[[nodiscard]] SampleSet make_ratings(const RatingRule& rule, std::uint64_t seed);

/// Friedman's first regression problem (Annals of Statistics 19, 1991, eq. 61): ten uniform
/// features, y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + noise of deviation `noise`.
/// The expected RMSE of the true function is `noise`. Split 60/20/20 %.
[[nodiscard]] SampleSet make_friedman(std::size_t samples, double noise, std::uint64_t seed);

}  // namespace berth::training
