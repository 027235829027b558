// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <charconv>
#include <fstream>
#include <numeric>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "sample_set.hpp"

namespace berth::training {
namespace {

constexpr std::size_t kPixels = 64;
constexpr std::uint64_t kSplitSeed = 8;  // of the fixed shuffle: the split is part of the data set

struct Row {
  int numbers[kPixels + 1];
};

Row parse(const std::string& line, const std::string& place) {
  Row row{};
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t column = 0; column <= kPixels; ++column) {
    const int most = column < kPixels ? 16 : 9;
    const auto [after, error] = std::from_chars(at, end, row.numbers[column]);
    const bool last = column == kPixels;
    if (error != std::errc() || row.numbers[column] < 0 || row.numbers[column] > most ||
        (last ? after != end : after == end || *after != ',')) {
      throw InputError(place + ": column " + std::to_string(column + 1) +
                       " is no integer from 0 to " + std::to_string(most) +
                       " in a row of 65; expected 64 pixels and the class, separated by commas");
    }
    at = after + 1;
  }
  return row;
}

}  // namespace

SampleSet read_digits(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw InputError(file + ": cannot be read; expected the CSV file of digits, for example " +
                     "datasets/training/digits.csv");
  }
  std::vector<Row> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    rows.push_back(parse(line, file + ":" + std::to_string(rows.size() + 1)));
  }
  constexpr std::size_t kFewest = 100;
  if (rows.size() < kFewest) {
    throw InputError(file + ": " + std::to_string(rows.size()) + " rows; expected at least " +
                     std::to_string(kFewest));
  }
  Rng rng(kSplitSeed);
  for (std::size_t i = rows.size(); i > 1; --i) {
    std::swap(rows[i - 1], rows[rng.below(i)]);
  }
  SampleSet set;
  set.num_features = kPixels;
  set.num_labels = 1;
  for (const Row& row : rows) {
    for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
      set.features.push_back(static_cast<float>(row.numbers[pixel]) / 16.0F);
    }
    set.labels.push_back(row.numbers[kPixels]);
  }
  set.train = {0, rows.size() * 70 / 100};
  set.validation = {set.train.end, rows.size() * 85 / 100};
  set.test = {set.validation.end, rows.size()};
  return set;
}

}  // namespace berth::training
