// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "language.hpp"
#include "sample_order.hpp"
#include "sample_set.hpp"
#include "shipped_file.hpp"

namespace berth::training {
namespace {

const std::string kDigits = std::string(BERTH_SOURCE_DIR) + "/datasets/training/digits.csv";

std::string refusal(const std::string& content) {
  const std::string file =
      ::testing::TempDir() + "berth_digits_" + std::to_string(getpid()) + ".csv";
  std::ofstream(file) << content;
  std::string message = "accepted";
  try {
    static_cast<void>(read_digits(file));
  } catch (const InputError& error) {
    message = std::string(error.what()).substr(file.size());
  }
  std::filesystem::remove(file);
  return message;
}

TEST(Digits, TheShippedFileHasTheSamplesItsSourceStates) {
  const SampleSet set = read_digits(kDigits);

  EXPECT_EQ(set.labels.size(), 1797U);
  EXPECT_EQ(set.features.size(), 1797U * 64U);
  EXPECT_EQ(set.train.size() + set.validation.size() + set.test.size(), 1797U);
  EXPECT_EQ(set.train.end, set.validation.begin);
  EXPECT_EQ(set.validation.end, set.test.begin);
  std::map<std::int64_t, int> per_class;
  for (const std::int64_t label : set.labels) {
    ++per_class[label];
  }
  // UCI, optdigits.names, table "Number of Instances ... testing" of each class.
  const int expected[] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
  for (std::int64_t digit = 0; digit < 10; ++digit) {
    EXPECT_EQ(per_class[digit], expected[digit]) << digit;
  }
  for (const float feature : set.features) {
    EXPECT_TRUE(feature >= 0.0F && feature <= 1.0F);
  }
}

TEST(ShippedFile, IsFoundFromTheBuildTreeAndIsTheOneOfTheSources) {
  const auto content = [](const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_TRUE(content(shipped_file("digits.csv")) == content(kDigits));
  try {
    static_cast<void>(shipped_file("nothing.txt"));
    ADD_FAILURE() << "found nothing.txt";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("share/berth/training/nothing.txt: not found above /"))
        << error.what();
  }
}

TEST(ShippedText, IsTheBookAndNothingElse) {
  const TokenText text = read_text_bytes(shipped_file("alice.txt"));

  EXPECT_EQ(text.tokens.size(), 148426U);
  EXPECT_EQ(text.vocabulary, 70U);
  std::ifstream in(shipped_file("alice.txt"));
  const std::string all(std::istreambuf_iterator<char>(in), {});
  EXPECT_LT(all.find("Alice was beginning to get very tired of sitting by her sister"), 400U);
  EXPECT_TRUE(all.ends_with("THE END\n"));
  EXPECT_EQ(all.find("Gutenberg"), std::string::npos);
}

TEST(Digits, RefusesWhatIsNoDigitNamingLineAndColumn) {
  std::string zeros;
  for (int i = 0; i < 64; ++i) {
    zeros += "0,";
  }
  std::string wrong = zeros;
  wrong.replace(0, 1, "17");
  EXPECT_EQ(refusal(wrong + "1\n"),
            ":1: column 1 is no integer from 0 to 16 in a row of 65; expected 64 pixels and the "
            "class, separated by commas");
  EXPECT_EQ(refusal(zeros + "1\n" + zeros + "10\n").substr(0, 15), ":2: column 65 i");
  EXPECT_EQ(refusal(zeros + "1,2\n").substr(0, 15), ":1: column 65 i");
  EXPECT_EQ(refusal("1,2,3\n").substr(0, 14), ":1: column 3 i");
  EXPECT_EQ(refusal(zeros + "1\n"), ": 1 rows; expected at least 100");
  EXPECT_EQ(refusal(""), ": 0 rows; expected at least 100");
  EXPECT_THROW(static_cast<void>(read_digits("/nowhere/digits.csv")), InputError);
}

TEST(Friedman, TargetsAreTheFunctionPlusNoiseOfTheStatedDeviation) {
  const SampleSet exact = make_friedman(2000, 0.0, 3);
  const SampleSet noisy = make_friedman(2000, 0.5, 3);
  double squares = 0.0;

  for (std::size_t i = 0; i < 2000; ++i) {
    const float* x = &exact.features[10 * i];
    const double y = 10.0 * std::sin(std::numbers::pi * x[0] * x[1]) +
                     20.0 * std::pow(x[2] - 0.5, 2.0) + 10.0 * x[3] + 5.0 * x[4];
    EXPECT_NEAR(exact.values[i], y, 1e-4);
    squares += std::pow(noisy.values[i] - exact.values[i], 2.0) / 2000.0;
  }
  EXPECT_NEAR(std::sqrt(squares), 0.5, 0.04);  // five deviations of the estimate
}

TEST(Ratings, HaveTheMeanAndDeviationOfTheirRule) {
  RatingRule rule;
  rule.ratings = 40000;
  rule.noise = 0.3;

  const SampleSet set = make_ratings(rule, 1);

  double mean = 0.0;
  double squares = 0.0;
  for (const float value : set.values) {
    mean += value / 40000.0;
    squares += value * value / 40000.0;
  }
  // Signal of deviation 1 and noise of 0.3; the factors themselves are a sample, hence the room.
  EXPECT_NEAR(mean, 3.0, 0.15);
  EXPECT_NEAR(std::sqrt(squares - mean * mean), std::sqrt(1.09), 0.15);
  EXPECT_EQ(set.train.size(), 32000U);
  EXPECT_EQ(set.test.size(), 4000U);
}

/// Probability of a text of whole sentences under the grammar, told from its words alone.
double log_probability(const std::vector<std::int64_t>& text, std::size_t end) {
  const auto zipf = [](std::int64_t i, int count) {
    double sum = 0.0;
    for (int k = 1; k <= count; ++k) {
      sum += 1.0 / k;
    }
    return std::log(1.0 / static_cast<double>(i + 1) / sum);
  };
  double sum = 0.0;
  for (std::size_t i = 0; i < end; ++i) {
    const std::int64_t word = text[i];
    if (word >= 1 && word <= 4) {  // determiner: number, then the word
      sum += std::log(0.5) + zipf((word - 1) % 2, 2);
    } else if (word >= 5 && word <= 12) {
      sum += std::log(0.4) + zipf(word - 5, 8);
    } else if (word >= 13 && word <= 28) {
      sum += std::log(0.6) + zipf((word - 13) % 8, 8);
    } else if (word >= 29) {
      sum += zipf((word - 29) % 6, 6);
    }
  }
  return sum;
}

TEST(Grammar, ItsPerplexityFloorIsThatOfItsOwnRules) {
  const std::vector<std::int64_t> text = make_grammar_text(200000, 7);
  std::size_t end = text.size();
  while (text[end - 1] != 0) {
    --end;
  }

  const double perplexity = std::exp(-log_probability(text, end) / static_cast<double>(end));

  EXPECT_NEAR(perplexity / grammar_perplexity_floor(), 1.0, 0.01);
}

TEST(Grammar, VerbsAgreeWithTheirSubjects) {
  const std::vector<std::int64_t> text = make_grammar_text(5000, 7);
  std::int64_t number = 0;
  for (const std::int64_t word : text) {
    number = word == 1 || word == 2 ? 0 : word == 3 || word == 4 ? 1 : number;
    if (word >= 13) {
      const bool noun = word < 29;
      EXPECT_EQ(noun ? (word - 13) / 8 : (word - 29) / 6, number);
    }
  }
}

TEST(Windows, LabelsAreTheNextTokens) {
  TokenText text;
  for (std::int64_t i = 0; i < 101; ++i) {
    text.tokens.push_back(i);
  }
  const SampleSet set = make_windows(text, 5, "text");

  ASSERT_EQ(set.ids.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(set.labels[i], set.ids[i] + 1);
  }
  EXPECT_EQ(set.train.size(), 16U);
  EXPECT_EQ(set.test.end, 20U);
  text.tokens.resize(100);
  EXPECT_THROW(static_cast<void>(make_windows(text, 5, "text")), InputError);
}

TEST(SampleOrder, AnEpochSeesEverySampleOnceWhoeverMakesItsSteps) {
  SampleOrder order({10, 110}, 20, 1);
  SampleOrder other({10, 110}, 20, 1);
  std::set<std::size_t> seen;
  for (const std::uint64_t step : {4, 0, 2, 1, 3}) {
    for (const std::size_t row : order.batch_of(step)) {
      EXPECT_TRUE(seen.insert(row).second);
    }
  }

  EXPECT_EQ(seen.size(), 100U);
  EXPECT_EQ(*seen.begin(), 10U);
  EXPECT_EQ(*seen.rbegin(), 109U);
  const std::vector<std::size_t> first = order.batch_of(0);
  EXPECT_NE(order.batch_of(5), first);
  EXPECT_EQ(order.batch_of(7), other.batch_of(7));
}

}  // namespace
}  // namespace berth::training
