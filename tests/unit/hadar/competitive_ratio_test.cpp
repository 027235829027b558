// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

// The primal-dual argument over whole schedules, as it is proven: jobs come one after another, each
// takes the schedule of best payoff over all rounds to come, at prices per pool and round. Toys of
// four jobs, two pools and four rounds are small enough to be solved exhaustively.

#include <algorithm>
#include <array>
#include <limits>

#include <gtest/gtest.h>

#include "berth/rng.hpp"

#include "prices.hpp"

namespace berth::hadar {
namespace {

constexpr std::size_t kRounds = 4;
constexpr std::size_t kPools = 2;

/// Where a job runs in each round: 0 nowhere, else 1 + pool.
using Schedule = std::array<std::size_t, kRounds>;

struct ToyJob {
  std::size_t arrival = 0;
  double worth = 1.0;                 // utility = worth / rounds from arrival to finish
  std::array<double, kPools> rate{};  // per round
  double steps = 1.0;

  [[nodiscard]] double utility(std::size_t finish) const {
    return worth / static_cast<double>(finish - arrival);
  }
};

struct Option {
  Schedule where{};
  std::size_t finish = 0;
};

/// All schedules without a useless round.
std::vector<Option> options_of(const ToyJob& job) {
  std::vector<Option> all;
  for (std::size_t code = 0; code < 81; ++code) {
    Option option;
    double left = job.steps;
    bool valid = true;
    std::size_t rest = code;
    for (std::size_t t = 0; t < kRounds; ++t, rest /= 3) {
      option.where[t] = rest % 3;
      if (option.where[t] > 0) {
        valid = valid && left > 0.0 && t >= job.arrival;
        left -= job.rate[option.where[t] - 1];
        option.finish = t + 1;
      }
    }
    if (valid && left <= 0.0) {
      all.push_back(option);
    }
  }
  return all;
}

struct Toy {
  std::array<std::uint32_t, kPools> capacity{};
  std::vector<ToyJob> jobs;
  std::vector<std::vector<Option>> options;

  explicit Toy(std::uint64_t seed) {
    Rng rng(seed);
    for (std::uint32_t& c : capacity) {
      c = 1 + static_cast<std::uint32_t>(rng.below(3));
    }
    while (jobs.size() < 4) {
      ToyJob job;
      job.arrival = rng.below(2);
      job.worth = 0.2 + 5.0 * rng.uniform();
      job.rate = {1.0, 0.4 + rng.uniform()};
      job.steps = 0.5 + 2.0 * rng.uniform();
      if (!options_of(job).empty()) {  // the proof asks for one that can finish by the horizon
        jobs.push_back(job);
        options.push_back(options_of(job));
      }
    }
    std::stable_sort(jobs.begin(), jobs.end(), [](const ToyJob& a, const ToyJob& b) {
      return a.arrival < b.arrival;
    });
    options.clear();
    for (const ToyJob& job : jobs) {
      options.push_back(options_of(job));
    }
  }
};

using Load = std::array<std::array<std::uint32_t, kRounds>, kPools>;

double exhaustive(const Toy& toy, std::size_t at, Load& load) {
  if (at == toy.jobs.size()) {
    return 0.0;
  }
  double best = exhaustive(toy, at + 1, load);
  for (const Option& option : toy.options[at]) {
    bool fits = true;
    for (std::size_t t = 0; t < kRounds; ++t) {
      const std::size_t p = option.where[t];
      fits = fits && (p == 0 || load[p - 1][t] < toy.capacity[p - 1]);
    }
    if (!fits) {
      continue;
    }
    for (std::size_t t = 0; t < kRounds; ++t) {
      if (option.where[t] > 0) {
        ++load[option.where[t] - 1][t];
      }
    }
    best = std::max(best, toy.jobs[at].utility(option.finish) + exhaustive(toy, at + 1, load));
    for (std::size_t t = 0; t < kRounds; ++t) {
      if (option.where[t] > 0) {
        --load[option.where[t] - 1][t];
      }
    }
  }
  return best;
}

TEST(PrimalDual, StaysWithinTwiceAlphaOfTheBestOverAllRounds) {
  double worst = 1.0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Toy toy(seed);
    double u_max = 0.0;
    double u_min = std::numeric_limits<double>::infinity();
    double slots = 0.0;  // T times all accelerators
    for (const std::uint32_t c : toy.capacity) {
      slots += static_cast<double>(kRounds * c);
    }
    for (std::size_t j = 0; j < toy.jobs.size(); ++j) {
      double most_rounds = 0.0;
      double best = 0.0;
      for (const Option& option : toy.options[j]) {
        const auto rounds = std::count_if(
            option.where.begin(), option.where.end(), [](std::size_t p) { return p > 0; });
        most_rounds = std::max(most_rounds, static_cast<double>(rounds));
        best = std::max(best, toy.jobs[j].utility(option.finish));
      }
      u_max = std::max(u_max, best);
      // 1 / eta = most_rounds / slots: the opening prices cost a quarter of any job's least
      // utility.
      u_min = std::min(u_min, toy.jobs[j].utility(kRounds) / (4.0 * slots));
    }
    std::array<std::vector<PriceCurve>, kPools> curves;
    double alpha_c = 1.0;
    double dual = 0.0;
    for (std::size_t p = 0; p < kPools; ++p) {
      curves[p].assign(kRounds, PriceCurve(u_min, u_max, toy.capacity[p]));
      alpha_c = std::max(alpha_c, curves[p][0].alpha_c());
      dual += static_cast<double>(kRounds) * toy.capacity[p] * curves[p][0].at(0);
    }

    Load load{};
    double primal = 0.0;
    for (std::size_t j = 0; j < toy.jobs.size(); ++j) {
      double best = 0.0;
      const Option* chosen = nullptr;
      for (const Option& option : toy.options[j]) {
        double payoff = toy.jobs[j].utility(option.finish);
        for (std::size_t t = 0; t < kRounds; ++t) {
          const std::size_t p = option.where[t];
          payoff -= p == 0 ? 0.0 : curves[p - 1][t].at(load[p - 1][t]);
        }
        if (payoff > best) {
          best = payoff;
          chosen = &option;
        }
      }
      if (chosen == nullptr) {
        continue;
      }
      primal += toy.jobs[j].utility(chosen->finish);
      dual += best;
      for (std::size_t t = 0; t < kRounds; ++t) {
        if (const std::size_t p = chosen->where[t]; p > 0) {
          std::uint32_t& g = load[p - 1][t];
          ASSERT_LT(g, toy.capacity[p - 1]) << "a full pool lets nobody in";
          dual += toy.capacity[p - 1] * (curves[p - 1][t].at(g + 1) - curves[p - 1][t].at(g));
          ++g;
        }
      }
    }
    Load empty{};
    const double optimum = exhaustive(toy, 0, empty);

    EXPECT_LE(optimum, dual * (1 + 1e-12)) << "seed " << seed;
    EXPECT_LE(optimum, 2.0 * alpha_c * primal * (1 + 1e-12)) << "seed " << seed;
    worst = std::max(worst, optimum / primal);
  }
  EXPECT_GT(worst, 1.01);  // the toys are not so easy that any rule would be optimal
}

}  // namespace
}  // namespace berth::hadar
