// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "annealing.hpp"
#include "delay_decoder.hpp"
#include "error_text.hpp"
#include "example_problems.hpp"
#include "heft.hpp"
#include "order_moves.hpp"

namespace berth::baselines {
namespace {

/// Layers of 25 ops of 1 to 100, each with two inputs from the layer before of up to five times as
/// long; eight devices, first in, first out.
std::shared_ptr<const PlacementProblem> random_layers(std::size_t ops, std::uint64_t seed) {
  constexpr std::size_t kWidth = 25;
  Rng rng(seed);
  std::vector<double> work;
  std::vector<ExampleEdge> edges;
  for (std::size_t v = 0; v < ops; ++v) {
    work.push_back(static_cast<double>(1 + rng.below(100)));
    for (int input = 0; input < 2 && v >= kWidth; ++input) {
      const std::size_t from = v - v % kWidth - kWidth + rng.below(kWidth);
      edges.push_back({static_cast<std::uint32_t>(from),
                       static_cast<std::uint32_t>(v),
                       static_cast<double>(1 + rng.below(500))});
    }
  }
  return identical_problem(work, edges, 8, Discipline::kFifo);
}

TEST(Annealing, SpendsItsSimulationsAndNoMore) {
  const auto problem = ten_tasks(Discipline::kFifo);
  for (const char* descent : {"0", "8", "48", "50", "1000"}) {  // moves an op, of ten
    Evaluator evaluator(*problem);
    Rng rng(1);

    static_cast<void>(make_policy(make_annealing,
                                  kAnnealingOptions,
                                  {{"simulations", "500"}, {"descent", descent}})
                          ->place(*problem, evaluator, rng));

    EXPECT_EQ(evaluator.simulations(), 500U) << descent;
  }
}

TEST(Annealing, IsDeterministicForASeed) {
  const auto problem = ten_tasks(Discipline::kAuto);
  const auto policy = make_policy(make_annealing, kAnnealingOptions);
  const auto place = [&](std::uint64_t seed) {
    Evaluator evaluator(*problem, {.simulations = 2000});
    Rng rng(seed);
    return policy->place(*problem, evaluator, rng);
  };

  EXPECT_EQ(place(3), place(3));
}

TEST(Annealing, RefinesTheEvaluatorsBest) {
  const auto problem = identical_problem(std::vector<double>(8, 1.0), {}, 4, Discipline::kFifo);
  Evaluator evaluator(*problem, {.simulations = 2});
  Rng rng(1);
  const std::vector<DeviceId> given(8, DeviceId{3});
  ASSERT_EQ(evaluator(given), 8.0);

  const Placement refined =
      make_policy(make_annealing, kAnnealingOptions)->place(*problem, evaluator, rng);

  // One simulation is left: at best one op moves away.
  EXPECT_GE(Simulator(*problem).makespan(refined), 7.0);
}

TEST(Annealing, FindsTheOptimumOfTheTenTaskExample) {
  // 73 is optimal: proved by exhaustive search, and beyond HEFT's 80.
  for (const Discipline discipline : {Discipline::kAuto, Discipline::kStaticOrder}) {
    EXPECT_EQ(makespan_of(*make_policy(make_annealing, kAnnealingOptions),
                          *ten_tasks(discipline),
                          {.simulations = 50'000}),
              73.0);
  }
}

TEST(LocalSearch, FindsTheOptimumOfTheTenTaskExample) {
  EXPECT_EQ(makespan_of(*make_policy(make_local_search, kLocalSearchOptions),
                        *ten_tasks(Discipline::kStaticOrder),
                        {.simulations = 50'000}),
            73.0);
}

TEST(Annealing, EndsShorterAfterADescentWhereMovesAreFewForTheOps) {
  double without = 0.0;
  double with_descent = 0.0;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto problem = random_layers(600, seed);
    const auto search = [&](const char* descent) {
      return makespan_of(*make_policy(make_annealing, kAnnealingOptions, {{"descent", descent}}),
                         *problem,
                         {.simulations = 8'000});
    };
    without += search("0");
    with_descent += search("8");
  }
  EXPECT_LT(with_descent, 0.995 * without);
}

TEST(Annealing, RefusesADescentUnderDisciplinesThatAlwaysHaveAnOrder) {
  const auto policy = make_policy(make_annealing, kAnnealingOptions, {{"descent", "8"}});
  for (const Discipline discipline : {Discipline::kPriority, Discipline::kStaticOrder}) {
    const auto problem = ten_tasks(discipline);
    const std::string error = berth::testing::error_text<InputError>(
        [&] { static_cast<void>(makespan_of(*policy, *problem)); });
    EXPECT_NE(error.find(name_of(discipline)), std::string::npos) << error;
    EXPECT_NE(error.find("expected fifo or auto"), std::string::npos) << error;
  }
  for (const Discipline discipline : {Discipline::kFifo, Discipline::kAuto}) {
    EXPECT_LE(makespan_of(*policy, *ten_tasks(discipline), {.simulations = 5'000}), 80.0);
  }
}

TEST(Annealing, NeedsNoOpsAndNoChoice) {
  const auto nothing = identical_problem({}, {}, 2);
  const auto one_device = identical_problem({1, 2}, {{0, 1, 5}}, 1);

  EXPECT_EQ(makespan_of(*make_policy(make_annealing, kAnnealingOptions), *nothing), 0.0);
  EXPECT_EQ(makespan_of(*make_policy(make_annealing, kAnnealingOptions), *one_device), 3.0);
}

TEST(DelayDecoder, AgreesWithTheSimulatorOnRandomOrders) {
  const auto problem = ten_tasks(Discipline::kStaticOrder);
  Rng rng(5);
  Simulator simulator(*problem);
  DelayDecoder decoder(*problem);
  OrderMoves moves(*problem, heft_schedule(*problem).placement());
  static_cast<void>(decoder.accept(moves.sequence(), moves.devices(), 0));
  for (int i = 0; i < 2000; ++i) {
    if (!moves.change(to_id<OpId>(rng.below(10)), rng)) {
      continue;
    }
    const double decoded =
        decoder.makespan(moves.sequence(), moves.devices(), moves.first_change(), kCannotRun);
    ASSERT_EQ(decoded, simulator.makespan(moves.placement())) << "move " << i;
    if (i % 3 == 0) {
      moves.undo();
      continue;
    }
    ASSERT_EQ(decoder.accept(moves.sequence(), moves.devices(), moves.first_change()), decoded);
    moves.keep();
  }
}

TEST(DelayDecoder, NamesOpsThatDetermineTheMakespan) {
  // 0 -> 1 across devices: 2 + 3 + 4 = 9; op 2 alone on device 0 ends at 2 + 1.
  const auto problem = identical_problem({2, 4, 1}, {{0, 1, 3}}, 2, Discipline::kStaticOrder);
  DelayDecoder decoder(*problem);
  const std::vector<OpId> sequence = {OpId{0}, OpId{2}, OpId{1}};
  const std::vector<DeviceId> device = {DeviceId{0}, DeviceId{1}, DeviceId{0}};

  EXPECT_EQ(decoder.accept(sequence, device, 0), 9.0);

  std::vector<OpId> path;
  decoder.critical_ops(device, path);
  EXPECT_EQ(path, (std::vector<OpId>{OpId{1}, OpId{0}}));
}

TEST(Annealing, StopsAtTheLowerBound) {
  // Eight equal independent ops on four devices: 2 is the bound, and ETF reaches it.
  const auto problem = identical_problem(std::vector<double>(8, 1.0), {}, 4);
  Evaluator evaluator(*problem);
  Rng rng(1);

  static_cast<void>(
      make_policy(make_annealing, kAnnealingOptions)->place(*problem, evaluator, rng));

  EXPECT_EQ(evaluator.best_makespan(), 2.0);
  EXPECT_LT(evaluator.simulations(), 20U);
}

}  // namespace
}  // namespace berth::baselines
