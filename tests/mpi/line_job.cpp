// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// A plugin of the tests of real training: a line y = 2 x0 - x1 + 0.5 fitted by SGD with momentum,
// without LibTorch. Options make it fail, diverge or take long.

#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <thread>

#include "berth/plugin.hpp"
#include "berth/rng.hpp"

namespace {

using berth::HeldOut;
using berth::TensorRole;

constexpr berth_option_spec kOptions[] = {
    {"rate", BERTH_OPTION_REAL, "0.05", 0, 10, "", "", "Learning rate."},
    {"step_microseconds", BERTH_OPTION_INTEGER, "0", 0, 1e6, "us", "", "Computes so long a step."},
    {"fail_from",
     BERTH_OPTION_INTEGER,
     "-1",
     -1,
     1e9,
     "",
     "",
     "Step ids that throw, from here on."},
    {"fail_to", BERTH_OPTION_INTEGER, "1000000000", 0, 1e9, "", "", "Up to and without this one."},
    {"nan_from", BERTH_OPTION_INTEGER, "-1", -1, 1e9, "", "", "Step ids that diverge, from here."},
    {"nan_to", BERTH_OPTION_INTEGER, "1000000000", 0, 1e9, "", "", "Up to and without this one."},
    {"sleep_at", BERTH_OPTION_INTEGER, "-1", -1, 1e9, "", "", "The step that never ends."},
};

class Line final : public berth::TrainingJob {
 public:
  explicit Line(const berth::HostServices& host) : config_(*host.config), seed_(host.seed) {
    berth::Rng rng(seed_, {1});
    for (int i = 0; i < 3; ++i) {
      state_[i] = static_cast<float>(rng.uniform() - 0.5);
    }
  }

  berth::TrainingSize size() const override { return {12.0, 3.0, 4, 1000}; }

  std::vector<berth::TrainingTensor> tensors() const override {
    return {{"slope", TensorRole::kParameter, {2}},
            {"offset", TensorRole::kParameter, {1}},
            {"mean_target", TensorRole::kBuffer, {1}},
            {"momentum", TensorRole::kOptimizer, {3}}};
  }

  berth::TrainingOutcome train(const berth::TrainingOrder& order) override {
    const auto begin = Clock::now();
    berth::TrainingOutcome outcome;
    while (outcome.steps < order.steps &&
           (order.seconds <= 0.0 || seconds_since(begin) < order.seconds)) {
      const std::uint64_t step = order.first_step + outcome.steps;
      misbehave(step);
      outcome.mean_loss += one_step(step);
      ++outcome.steps;
      ++counters_.schedule_steps;
      ++counters_.optimizer_steps;
    }
    outcome.mean_loss /= outcome.steps > 0 ? static_cast<double>(outcome.steps) : 1.0;
    outcome.seconds = seconds_since(begin);
    return outcome;
  }

  berth::TrainingScore evaluate(HeldOut part) override {
    berth::Rng rng(99, {part == HeldOut::kTest ? 1U : 2U});
    double squares = 0.0;
    for (int i = 0; i < 50; ++i) {
      const double x0 = rng.uniform() - 0.5;
      const double x1 = rng.uniform() - 0.5;
      const double error = error_of(x0, x1);
      squares += error * error / 50.0;
    }
    return {"RMSE", std::sqrt(squares), false, squares};
  }

  void get_state(std::span<float> out) const override {
    std::copy(state_, state_ + 7, out.begin());
  }
  void set_state(std::span<const float> values) override {
    std::copy(values.begin(), values.end(), state_);
  }
  berth::TrainingCounters counters() const override { return counters_; }
  void set_counters(const berth::TrainingCounters& counters) override { counters_ = counters; }

 private:
  using Clock = std::chrono::steady_clock;

  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  bool in_range(const char* from, const char* to, std::uint64_t step) const {
    const std::int64_t first = config_.integer(from);
    return first >= 0 && step >= static_cast<std::uint64_t>(first) &&
           step < static_cast<std::uint64_t>(config_.integer(to));
  }

  void misbehave(std::uint64_t step) {
    if (in_range("fail_from", "fail_to", step)) {
      throw std::runtime_error("a planned failure at step " + std::to_string(step));
    }
    if (in_range("nan_from", "nan_to", step)) {
      state_[0] = std::numeric_limits<float>::quiet_NaN();
    }
    while (static_cast<std::int64_t>(step) == config_.integer("sleep_at")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    // By the processor's clock: work, however much the machine has to do beside it.
    const std::clock_t end =
        std::clock() + config_.integer("step_microseconds") * CLOCKS_PER_SEC / 1000000;
    while (std::clock() < end) {
    }
  }

  double error_of(double x0, double x1) const {
    return state_[0] * x0 + state_[1] * x1 + state_[2] - (2.0 * x0 - x1 + 0.5);
  }

  double one_step(std::uint64_t step) {
    berth::Rng rng(seed_, {2, step});
    double loss = 0.0;
    double gradient[3] = {};
    for (int i = 0; i < 4; ++i) {
      const double x0 = rng.uniform() - 0.5;
      const double x1 = rng.uniform() - 0.5;
      const double error = error_of(x0, x1);
      loss += error * error / 4.0;
      gradient[0] += error * x0 / 2.0;
      gradient[1] += error * x1 / 2.0;
      gradient[2] += error / 2.0;
      state_[3] += 0.01F * (static_cast<float>(2.0 * x0 - x1 + 0.5) - state_[3]);
    }
    const auto rate = static_cast<float>(config_.real("rate"));
    for (int i = 0; i < 3; ++i) {
      state_[4 + i] = 0.9F * state_[4 + i] + static_cast<float>(gradient[i]);
      state_[i] -= rate * state_[4 + i];
    }
    return loss;
  }

  const berth::Config& config_;
  std::uint64_t seed_;
  float state_[7] = {};  // slope, offset, mean target, momentum
  berth::TrainingCounters counters_;
};

std::unique_ptr<berth::TrainingJob> make_line(const berth::HostServices& host) {
  return std::make_unique<Line>(host);
}

}  // namespace

BERTH_PLUGIN("line",
             "1.0",
             berth::offer<berth::TrainingJob, make_line>("line", "Fits a line.", kOptions))
