// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/plugin_host.hpp"

namespace berth {
namespace {

const std::string kDigits = std::string(BERTH_SOURCE_DIR) + "/datasets/training/digits.csv";
using Settings = std::map<std::string, std::string>;

class TrainingJobs : public ::testing::Test {
 protected:
  TrainingJobs() : logger_(LogLevel::kWarning), host_({{BERTH_TRAINING_PLUGIN}, {}}, logger_) {}

  std::unique_ptr<TrainingJob> make(const std::string& name,
                                    Settings settings = {},
                                    std::uint64_t seed = 1) {
    Config config = host_.options(TrainingJob::kInterface, name);
    for (const auto& [option, text] : settings) {
      config.set(option, text);
    }
    return host_.training_job(name, config, seed);
  }

  StderrLogger logger_;
  PluginHost host_;
};

std::vector<float> state_of(const TrainingJob& job) {
  std::vector<float> state(count_values(job.tensors()));
  job.get_state(state);
  return state;
}

constexpr const char* kNames[] = {
    "digits-mlp", "digits-cnn", "lstm-language", "matrix-factors", "friedman-regression"};

TEST_F(TrainingJobs, LearnTheirSamples) {
  // Floors that no model can beat in expectation: the noise of the rules, and the entropy of the
  // grammar (5.53); 1 / 10 is chance on digits. Bytes of the shipped text drawn by their frequency
  // alone have a perplexity of 23.6, and no byte model of this size comes near 3.
  struct Case {
    const char* name;
    std::uint64_t steps;
    double least;
    double most;
    Settings settings = {};
  };
  for (const Case& row : {Case{"digits-mlp", 600, 0.93, 1.0},
                          Case{"digits-cnn", 200, 0.93, 1.0},
                          Case{"lstm-language", 250, 3.0, 14.0},
                          Case{"lstm-language", 250, 5.2, 8.5, {{"corpus", "grammar"}}},
                          Case{"matrix-factors", 800, 0.28, 0.55},
                          Case{"friedman-regression", 800, 0.9, 1.7}}) {
    const auto job = make(row.name, row.settings);
    const TrainingScore before = job->evaluate(HeldOut::kTest);
    const TrainingOutcome outcome = job->train({0, row.steps, 0.0});
    const TrainingScore after = job->evaluate(HeldOut::kTest);

    EXPECT_EQ(outcome.steps, row.steps);
    EXPECT_LT(outcome.mean_loss, before.loss) << row.name;
    EXPECT_LT(after.loss, before.loss) << row.name;
    EXPECT_EQ(after.larger_is_better, after.metric == "accuracy");
    EXPECT_GE(after.value, row.least) << row.name;
    EXPECT_LE(after.value, row.most) << row.name;
    EXPECT_TRUE(after.larger_is_better || after.value < before.value) << row.name;
  }
}

TEST_F(TrainingJobs, TrainTheSameWayForASeedAndDifferentlyForAnother) {
  for (const char* name : kNames) {
    const auto one = make(name);
    const auto two = make(name);
    const auto other = make(name, {}, 2);
    for (const auto& job : {one.get(), two.get(), other.get()}) {
      static_cast<void>(job->train({5, 7, 0.0}));
    }
    EXPECT_EQ(state_of(*one), state_of(*two)) << name;
    EXPECT_NE(state_of(*one), state_of(*other)) << name;
  }
}

TEST_F(TrainingJobs, ContinueFromAStateAsIfNothingHadHappened) {
  for (const char* name : kNames) {
    for (const char* optimizer : {"adam", "sgd"}) {
      const Settings settings = {{"optimizer", optimizer},
                                 {"schedule", "cosine"},
                                 {"schedule_steps", "20"},
                                 {"weight_decay", "0.001"}};
      const auto whole = make(name, settings);
      const auto first = make(name, settings);
      const auto second = make(name, settings, 1);
      static_cast<void>(whole->train({0, 9, 0.0}));
      static_cast<void>(first->train({0, 4, 0.0}));
      static_cast<void>(second->train({0, 2, 0.0}));  // into any other state
      second->set_state(state_of(*first));
      second->set_counters(first->counters());
      static_cast<void>(second->train({4, 5, 0.0}));

      EXPECT_EQ(state_of(*second), state_of(*whole)) << name << " " << optimizer;
      EXPECT_EQ(second->counters(), (TrainingCounters{9, 9}));
    }
  }
}

TEST_F(TrainingJobs, EvaluationChangesNothing) {
  for (const char* name : kNames) {
    const auto job = make(name);
    static_cast<void>(job->train({0, 3, 0.0}));
    const std::vector<float> before = state_of(*job);
    const double value = job->evaluate(HeldOut::kValidation).value;

    EXPECT_EQ(job->evaluate(HeldOut::kValidation).value, value);
    EXPECT_NE(job->evaluate(HeldOut::kTest).value, value) << name;
    EXPECT_EQ(state_of(*job), before) << name;
  }
}

TEST_F(TrainingJobs, AdamsFirstStepMovesEveryWeightByTheLearningRate) {
  // m = (1 - b1) g and v = (1 - b2) g^2 corrected are g and g^2: the step is rate g / (|g| + 1e-8).
  // m lies behind the parameters.
  const auto job = make("friedman-regression", {{"learning_rate", "0.01"}});
  const std::vector<float> before = state_of(*job);
  static_cast<void>(job->train({0, 1, 0.0}));
  const std::vector<float> after = state_of(*job);

  std::size_t moved = 0;
  const auto parameters = static_cast<std::size_t>(job->size().parameters);
  for (std::size_t i = 0; i < parameters; ++i) {
    const double gradient = after[parameters + i] / 0.1;
    const double step = 0.01 * gradient / (std::fabs(gradient) + 1e-8);
    EXPECT_NEAR(before[i] - after[i], step, 1e-5) << i;
    moved += std::fabs(step) > 0.009 ? 1 : 0;
  }
  EXPECT_GT(moved, parameters / 2);
}

TEST_F(TrainingJobs, MomentumOfSgdIsTheSumOfItsPastSteps) {
  // w2 - w1 = -rate m2 and w1 - w0 = -rate m1, where m is in the state behind the parameters.
  const auto job = make("friedman-regression", {{"optimizer", "sgd"}, {"learning_rate", "0.001"}});
  const auto parameters = static_cast<std::size_t>(job->size().parameters);
  for (std::uint64_t step = 0; step < 2; ++step) {
    const std::vector<float> before = state_of(*job);
    static_cast<void>(job->train({step, 1, 0.0}));
    const std::vector<float> after = state_of(*job);
    ASSERT_EQ(after.size(), 2 * parameters);
    for (std::size_t i = 0; i < parameters; ++i) {
      EXPECT_NEAR(after[i] - before[i], -0.001 * after[parameters + i], 1e-6);
    }
  }
}

TEST_F(TrainingJobs, AClockEndsTraining) {
  const auto job = make("friedman-regression");

  const TrainingOutcome outcome = job->train({0, 100000000, 0.05});

  EXPECT_GE(outcome.steps, 1U);
  EXPECT_LT(outcome.steps, 100000000U);
  EXPECT_GE(outcome.seconds, 0.05);
}

TEST_F(TrainingJobs, ACosineEndsAtZero) {
  const auto job = make("friedman-regression", {{"schedule", "cosine"}, {"schedule_steps", "10"}});
  job->set_counters({10, 3});
  const std::vector<float> before = state_of(*job);
  static_cast<void>(job->train({0, 1, 0.0}));

  const std::vector<float> after = state_of(*job);
  const auto parameters = static_cast<std::ptrdiff_t>(job->size().parameters);
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + parameters, after.begin()));
}

TEST_F(TrainingJobs, TellTheirSizesAndTensors) {
  const auto job = make("digits-cnn", {{"channels", "4"}});
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const TrainingTensor& tensor : job->tensors()) {
    shapes[tensor.name] = tensor.shape;
  }

  EXPECT_EQ(shapes.at("conv0/weight"), (std::vector<std::int64_t>{4, 1, 3, 3}));
  EXPECT_EQ(shapes.at("conv1/norm/mean"), (std::vector<std::int64_t>{8}));
  EXPECT_EQ(shapes.at("linear/weight/second"), (std::vector<std::int64_t>{10, 128}));
  // 36 + 288 weights of convolutions, 2 x (4 + 8) of norms, 10 x 128 + 10.
  EXPECT_EQ(job->size().parameters, 36 + 288 + 24 + 1290);
  // Forward and backward, 3 x 2 x 9 x 64 (4 + 32) and 3 x 2 x 1280.
  EXPECT_EQ(job->size().flops_per_sample, 3.0 * (2.0 * 9 * 64 * 36 + 2.0 * 1280));
  EXPECT_EQ(job->size().train_samples, 1257U);
}

TEST_F(TrainingJobs, RefuseAbsentDataAndWrongOptions) {
  EXPECT_THROW(static_cast<void>(make("digits-mlp", {{"data", "/nowhere.csv"}})), InputError);
  EXPECT_THROW(static_cast<void>(make("lstm-language", {{"data", "/nowhere.txt"}})), InputError);
  EXPECT_THROW(
      static_cast<void>(
          make("lstm-language", {{"corpus", "grammar"}, {"words", "1000"}, {"length", "1024"}})),
      InputError);
  EXPECT_THROW(static_cast<void>(make("lstm-language", {{"corpus", "grammar"}, {"data", kDigits}})),
               InputError);
  EXPECT_THROW(static_cast<void>(make("matrix-factors", {{"rank", "0"}})), InputError);
}

}  // namespace
}  // namespace berth
