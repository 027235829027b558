// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "allocation.hpp"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "berth/error.hpp"

#include "toy_rounds.hpp"

namespace berth::hadar {
namespace {

constexpr double kHorizon = 10000.0;

/// A toy with everything an allocation needs.
struct Bench {
  explicit Bench(const ToyRound& round, PricePool pool = PricePool::kType)
      : context(round.context()),
        jobs(view_jobs(context, UtilityKind::kInvSlowdown)),
        utility(UtilityKind::kInvSlowdown, context.now_seconds, kHorizon) {
    price_options.pool = pool;
    range = utility_range(context, jobs, utility, price_options, kHorizon);
    settings.fill = false;
  }

  [[nodiscard]] RoundProblem problem() const { return {context, jobs, utility, settings}; }

  [[nodiscard]] std::vector<Decision> decide(bool exact) const {
    PriceBook prices(context.cluster, range, price_options);
    GpuLedger ledger(context.cluster);
    return exact ? allocate_exactly(problem(), ledger, prices)
                 : allocate_greedily(problem(), ledger, prices);
  }

  /// Sum of utilities minus the charge of the final occupancy.
  [[nodiscard]] double objective(const std::vector<Decision>& decisions) const {
    const PriceBook prices(context.cluster, range, price_options);
    std::vector<std::uint32_t> taken(context.cluster.num_types(), 0);
    double value = 0.0;
    for (const Decision& decision : decisions) {
      value += decision.utility;
      for (const GpuId gpu : decision.gpus) {
        ++taken[index(context.cluster.type_of(gpu))];
      }
    }
    for (std::size_t t = 0; t < taken.size(); ++t) {
      value -= prices.charge_of_type(to_id<GpuTypeId>(t), taken[t]);
    }
    return value;
  }

  RoundContext context;
  std::vector<JobView> jobs;
  Utility utility;
  PriceOptions price_options;
  UtilityRange range;
  AllocationOptions settings;
};

/// Every way to give every job nothing or a composition of two types.
double exhaustive_best(const Bench& bench) {
  const Cluster& cluster = bench.context.cluster;
  const PriceBook prices(cluster, bench.range, bench.price_options);
  const std::uint32_t a = cluster.capacity(GpuTypeId{0});
  const std::uint32_t b = cluster.capacity(GpuTypeId{1});
  double best = 0.0;
  const std::function<void(std::size_t, std::uint32_t, std::uint32_t, double)> visit =
      [&](std::size_t row, std::uint32_t used_a, std::uint32_t used_b, double sum) {
        if (row == bench.jobs.size()) {
          best = std::max(best,
                          sum - prices.charge_of_type(GpuTypeId{0}, used_a) -
                              prices.charge_of_type(GpuTypeId{1}, used_b));
          return;
        }
        visit(row + 1, used_a, used_b, sum);
        const JobView& job = bench.jobs[row];
        const std::uint32_t gang = job.state->spec->gang;
        for (std::uint32_t n = 0; n <= gang; ++n) {
          const std::vector<std::uint32_t> counts = {n, gang - n};
          const double rate = gang_rate(*job.state->spec, counts, true, bench.context.gangs);
          if (rate > 0.0 && used_a + n <= a && used_b + gang - n <= b) {
            visit(row + 1,
                  used_a + n,
                  used_b + gang - n,
                  sum + bench.utility.of_running(job, rate, 0.0, counts));
          }
        }
      };
  visit(0, 0, 0, 0.0);
  return best;
}

TEST(ExactAllocation, EqualsExhaustiveSearchOnToys) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const ToyRound round(seed, seed % 2 == 0 ? "a:4/2,b:2/2" : "a:3/1,b:5/5", 5);
    const Bench bench(round);

    EXPECT_NEAR(bench.objective(bench.decide(/*exact=*/true)), exhaustive_best(bench), 1e-12)
        << "seed " << seed;
  }
}

TEST(ExactAllocation, IsNeverWorseThanTheGreedyInItsObjective) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const ToyRound round(100 + seed, "a:8/4,b:4/4,c:4/2", 14);
    const Bench bench(round);

    EXPECT_GE(bench.objective(bench.decide(true)), bench.objective(bench.decide(false)) - 1e-12)
        << "seed " << seed;
  }
}

TEST(ExactAllocation, RefusesTooManyStatesAndNamesTheGreedy) {
  const ToyRound round(1, "a:100/4,b:100/4,c:100/4", 3);
  const Bench bench(round);

  try {
    (void)bench.decide(true);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "hadar: allocation=exact needs 1030301 states for this cluster; "
              "state_limit is "
              "200000; raise it, or use allocation=greedy");
  }
}

class BothAllocations : public testing::TestWithParam<bool> {};

TEST_P(BothAllocations, GiveWholeGangsOnTypesThatCanRunThem) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ToyRound round(200 + seed, "a:4/2,b:4/4,c:2/1", 10);
    const Bench bench(round);
    RoundSchedule schedule;
    for (const Decision& decision : bench.decide(GetParam())) {
      schedule.assignments.push_back({bench.context.jobs[decision.row].id, decision.gpus});
    }

    EXPECT_NO_THROW(check_round(bench.context, schedule));
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, BothAllocations, testing::Bool());

// The competitive proof, for gangs of one, where the proof needs no small
// demands: the dual is feasible, so the best sum of utilities is below it, and
// it grows by at most alpha_c per primal.
TEST(GreedyAllocation, ProvesItsDistanceFromTheOptimum) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const ToyRound round(300 + seed, "a:2/2,b:2/1", 6, /*largest_gang=*/1);
    Bench bench(round, PricePool::kMachine);
    const PriceBook opening(bench.context.cluster, bench.range, bench.price_options);
    double primal = 0.0;
    double dual = opening.initial_dual();
    for (const Decision& decision : bench.decide(/*exact=*/false)) {
      primal += decision.utility;
      dual += decision.payoff() + decision.dual_growth;
    }
    // The optimum without prices: the exhaustive search at no charge.
    bench.price_options.enabled = false;
    const double optimum = exhaustive_best(bench);

    EXPECT_LE(optimum, dual * (1 + 1e-12)) << "seed " << seed;
    EXPECT_LE(dual - opening.initial_dual(), opening.alpha_c() * primal * (1 + 1e-12));
  }
}

TEST(FillIdle, UsesAcceleratorsThatThePricesKeptIdle) {
  std::size_t priced = 0;
  std::size_t filled = 0;
  const auto busy = [](const std::vector<Decision>& decisions) {
    std::size_t sum = 0;
    for (const Decision& decision : decisions) {
      sum += decision.gpus.size();
    }
    return sum;
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ToyRound round(400 + seed, "a:4/4,b:4/4", 12);
    Bench bench(round);
    priced += busy(bench.decide(false));
    bench.settings.fill = true;
    filled += busy(bench.decide(false));
  }

  EXPECT_GT(filled, priced);
  EXPECT_GT(filled, 20 * 7U);  // of 8 accelerators; single gaps stay where no gang fits
}

}  // namespace
}  // namespace berth::hadar
