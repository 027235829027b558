// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "piecewise.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "berth/evaluator.hpp"
#include "berth/simulator.hpp"

#include "doppler_policy.hpp"
#include "plugins/baselines/annealing.hpp"
#include "plugins/baselines/search_start.hpp"
#include "sample_problems.hpp"
#include "workloads/workload_word.hpp"

namespace berth::doppler {
namespace {

std::shared_ptr<const PlacementProblem> problem_of(const std::string& word,
                                                   const Topology& topology,
                                                   Discipline discipline = Discipline::kFifo) {
  ExecutionOptions execution;
  execution.discipline = discipline;
  return make_problem(word, datasets::make_workload_of(word), topology, execution);
}

/// `blocks` times: one op, `width` that need its result, one that needs theirs and feeds the next.
std::shared_ptr<const PlacementProblem> beads(std::size_t blocks,
                                              std::size_t width,
                                              const Topology& topology,
                                              double transfer = 1.0) {
  GraphBuilder builder("beads");
  OpSpec op;
  op.work = 1.0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const OpId first = builder.add_op(op);
    std::vector<OpId> middle;
    for (std::size_t i = 0; i < width; ++i) {
      middle.push_back(builder.add_op(op));
      builder.add_edge(first, middle.back(), transfer);
    }
    const OpId last = builder.add_op(op);
    for (const OpId before : middle) {
      builder.add_edge(before, last, transfer);
    }
    if (b > 0) {
      builder.add_edge(to_id<OpId>(index(first) - 1), first, transfer);
    }
  }
  ExecutionOptions execution;
  execution.discipline = Discipline::kFifo;
  return make_problem("beads", builder.freeze(), topology, execution);
}

/// Devices of these speeds, this memory in bytes, 0 for all they want, and these measured rates; a
/// link for every pair.
Topology connected(const std::vector<double>& speeds,
                   double memory,
                   const std::vector<OpRate>& rates = {}) {
  TopologyBuilder builder("connected");
  for (const double speed : speeds) {
    DeviceSpec device;
    device.peak = FlopsPerSecond{speed};
    device.memory = Bytes{memory};
    device.op_rates = rates;
    builder.add_device(device);
  }
  for (std::size_t a = 0; a < speeds.size(); ++a) {
    for (std::size_t b = 0; b < speeds.size(); ++b) {
      if (a != b) {
        builder.route(to_id<DeviceId>(a),
                      to_id<DeviceId>(b),
                      {builder.add_link({"", BytesPerSecond{1.0}, {}})});
      }
    }
  }
  return builder.freeze();
}

std::vector<std::size_t> sizes_of(const Pieces& pieces) {
  std::vector<std::size_t> sizes;
  for (const std::vector<OpId>& ops : pieces.ops) {
    sizes.push_back(ops.size());
  }
  return sizes;
}

TEST(Pieces, OfAModelAreItsLayersAndEqualLayersAreOnePart) {
  const auto four =
      pieces_of(*problem_of("workload:llama-model:4:reference:l5", Topology::uniform(4)));
  // 229 ops are a layer with mask, turns of positions, last norm and logits.
  EXPECT_EQ(sizes_of(four), (std::vector<std::size_t>{201, 198, 198, 198, 226}));
  EXPECT_EQ(four.which, (std::vector<std::size_t>{0, 1, 1, 1, 2}));

  const auto eight =
      pieces_of(*problem_of("workload:llama-model:8:reference:l4", Topology::uniform(8)));
  EXPECT_EQ(sizes_of(eight), (std::vector<std::size_t>{331, 326, 326, 362}));
  EXPECT_EQ(eight.which, (std::vector<std::size_t>{0, 1, 1, 2}));
}

TEST(Pieces, ThatOtherRatesPriceAreOtherParts) {
  // The hash of a graph does not count kernels, by which a device's measured rates go.
  const Topology measured =
      connected({1.0, 1.0},
                0.0,
                {{"exp", FlopsPerSecond{0.5}, BytesPerSecond{0.0}, Seconds{0.0}},
                 {"relu s8", FlopsPerSecond{0.25}, BytesPerSecond{0.0}, Seconds{0.0}}});
  const auto parts = [&measured](const char* second) {
    GraphBuilder builder("chain");
    builder.cost_basis(CostBasis::kPhysical);
    OpSpec op;
    op.work = 1.0;
    for (std::size_t v = 0; v < 600; ++v) {
      op.kernel = v < 300 ? "relu s0:4 ; s#0" : second;
      builder.add_op(op);
      if (v > 0) {
        builder.add_edge(to_id<OpId>(v - 1), to_id<OpId>(v), 0.001);
      }
    }
    const Pieces found = pieces_of(*make_problem("chain", builder.freeze(), measured, {}));
    EXPECT_EQ(sizes_of(found), (std::vector<std::size_t>{200, 200, 200}));
    return found.parts.size();
  };
  EXPECT_EQ(parts("relu s4:8 ; s#0"), 1U);
  EXPECT_EQ(parts("exp s0:4 ; s#0"), 3U);
  EXPECT_EQ(parts("relu s0:8 ; s#0"), 3U);
}

TEST(Pieces, AreOneWhereTheGraphIsSmallOrMuchPassesEverywhere) {
  EXPECT_EQ(pieces_of(*problem_of("workload:llama-layer:4", Topology::uniform(4))).ops.size(), 1U);
  EXPECT_EQ(pieces_of(*random_problem(0, 2, 1)).ops.size(), 1U);
  EXPECT_EQ(pieces_of(*problem_of("random:layered:1000:5:1", Topology::uniform(8))).ops.size(), 1U);
  // The same beads: what one result takes to pass is a tenth of the time of 200 ops, or more.
  const auto parts = [](double transfer) {
    return pieces_of(*beads(8, 98, Topology::uniform(2), transfer)).ops.size();
  };
  EXPECT_EQ(parts(10.0), 4U);
  EXPECT_EQ(parts(10.1), 1U);
}

TEST(Pieces, FollowOneAnotherAndLeaveNoOpOut) {
  for (const char* word : {"random:chains:1500:1:3",
                           "random:fork-join:1500:0.1:4",
                           "random:stencil:900:0.1:5",
                           "random:cells:2000:0.5:6",
                           "random:blocks:1200:0.1:7",
                           "workload:llama-model:3:physical:l7"}) {
    const auto problem = problem_of(word, Topology::uniform(3));
    const Pieces pieces = pieces_of(*problem);
    const Graph& graph = problem->graph;
    std::vector<std::size_t> piece(graph.num_ops(), pieces.ops.size());
    std::size_t total = 0;
    for (std::size_t p = 0; p < pieces.ops.size(); ++p) {
      EXPECT_TRUE(std::ranges::is_sorted(pieces.ops[p])) << word;
      total += pieces.ops[p].size();
      for (const OpId op : pieces.ops[p]) {
        piece[index(op)] = p;
      }
      if (pieces.ops.size() > 1) {
        EXPECT_EQ(pieces.parts[pieces.which[p]]->graph.num_ops(), pieces.ops[p].size()) << word;
        EXPECT_GE(pieces.ops[p].size(), 64U) << word;
        EXPECT_LE(pieces.ops[p].size(), 512U) << word;
      }
    }
    EXPECT_EQ(total, graph.num_ops()) << word;
    for (std::size_t v = 0; v < graph.num_ops(); ++v) {
      for (const OpId next : graph.successors(to_id<OpId>(v))) {
        EXPECT_LE(piece[v], piece[index(next)]) << word;
      }
    }
  }
}

/// A candidate that runs the first and the last op of each block on `ends`, the others in turn.
Placement in_turn(std::size_t ops, std::size_t block, std::size_t devices, std::size_t ends) {
  Placement placement;
  for (std::size_t i = 0; i < ops; ++i) {
    const bool end = i % block == 0 || i % block == block - 1;
    placement.device.push_back(to_id<DeviceId>(end ? ends : i % devices));
  }
  return placement;
}

TEST(JoinPieces, ExchangesDevicesThatAreAlikeSoThatLeastIsTransferred) {
  const auto problem = beads(6, 98, Topology::uniform(2));
  const Pieces pieces = pieces_of(*problem);
  ASSERT_EQ(pieces.ops.size(), 3U);
  ASSERT_EQ(pieces.parts.size(), 1U);  // alike
  // Begins on device 0 and ends on 1: the next piece should begin there.
  Placement crossing = in_turn(200, 100, 2, 0);
  crossing.device.back() = to_id<DeviceId>(1);
  const std::vector<std::vector<Placement>> candidates = {{crossing}};
  for (const std::uint64_t most : {0U, 1'000U}) {
    Rng rng(1);
    const Joined joined = join_pieces(
        *problem, pieces, candidates, most, [] { return false; }, rng);
    EXPECT_EQ(joined.simulations, most > 0 ? 6U : 0U);  // both ways for each of three
    EXPECT_EQ(index(joined.placement.device[199]), 1U);
    EXPECT_EQ(index(joined.placement.device[200]), 1U);
    EXPECT_EQ(index(joined.placement.device[399]), 0U);
    EXPECT_EQ(index(joined.placement.device[400]), 0U);
  }
}

TEST(JoinPieces, LeavesDevicesThatDifferWhereTheyAre) {
  const auto problem = beads(6, 98, connected({1.0, 2.0}, 0.0));
  const Pieces pieces = pieces_of(*problem);
  ASSERT_EQ(pieces.ops.size(), 3U);
  Placement crossing = in_turn(200, 100, 2, 0);
  crossing.device.back() = to_id<DeviceId>(1);
  Rng rng(1);
  const std::vector<std::vector<Placement>> candidates = {{crossing}};
  const Joined joined = join_pieces(
      *problem, pieces, candidates, 1'000, [] { return false; }, rng);
  for (std::size_t v = 0; v < 600; ++v) {
    EXPECT_EQ(joined.placement.device[v], crossing.device[v % 200]);
  }
}

TEST(JoinPieces, TakesTheCandidateThatEndsFirst) {
  const auto problem = beads(6, 98, Topology::uniform(4));
  const Pieces pieces = pieces_of(*problem);
  ASSERT_EQ(pieces.parts.size(), 1U);
  const Placement alone{std::vector<DeviceId>(200, to_id<DeviceId>(0)), {}};
  const Placement spread = in_turn(200, 100, 4, 0);
  Rng rng(1);
  const std::vector<std::vector<Placement>> candidates = {{alone, spread}};
  const Joined joined = join_pieces(
      *problem, pieces, candidates, 10'000, [] { return false; }, rng);
  Simulator simulator(*problem);
  // A block: one op, a transfer, 25 ops, a transfer, one op; the next begins where it ends.
  EXPECT_EQ(simulator.makespan(joined.placement.device), 6.0 * 29.0);
}

TEST(JoinPieces, TriesToLeaveTheDevicesAsTheyAreToo) {
  const auto problem = beads(6, 98, Topology::uniform(3));
  const Pieces pieces = pieces_of(*problem);
  Placement crossing = in_turn(200, 100, 3, 0);
  crossing.device.back() = to_id<DeviceId>(1);
  Rng rng(1);
  const std::vector<std::vector<Placement>> candidates = {{crossing}};
  const Joined all = join_pieces(
      *problem, pieces, candidates, 1'000, [] { return false; }, rng);
  EXPECT_EQ(all.simulations, 3U * 6U);  // each exchange of three devices once
  const Joined none = join_pieces(
      *problem, pieces, candidates, 1'000, [] { return true; }, rng);
  EXPECT_EQ(none.simulations, 0U);
}

TEST(JoinPieces, KeepsTheOrderOfEachPieceAndOfThePieces) {
  const auto problem = problem_of(
      "workload:llama-model:4:reference:l4", Topology::uniform(4), Discipline::kStaticOrder);
  const Pieces pieces = pieces_of(*problem);
  ASSERT_EQ(pieces.ops.size(), 4U);
  std::vector<std::vector<Placement>> candidates;
  for (const auto& part : pieces.parts) {
    Placement placement = in_turn(part->graph.num_ops(), 10, 4, 0);
    placement.order.resize(part->graph.num_ops());
    double next = 0.0;
    for (const OpId op : part->graph.topological_order()) {
      placement.order[index(op)] = next++;
    }
    candidates.push_back({placement});
  }
  Rng rng(1);
  const Joined joined = join_pieces(
      *problem, pieces, candidates, 1'000, [] { return false; }, rng);
  std::set<double> values(joined.placement.order.begin(), joined.placement.order.end());
  EXPECT_EQ(values.size(), problem->graph.num_ops());
  double last = -1.0;
  for (const std::vector<OpId>& ops : pieces.ops) {
    double most = last;
    for (const OpId op : ops) {
      EXPECT_GT(joined.placement.order[index(op)], last);
      most = std::max(most, joined.placement.order[index(op)]);
    }
    last = most;
  }
  EXPECT_TRUE(std::isfinite(Simulator(*problem).makespan(joined.placement)));
}

Placement placed(const PlacementProblem& problem,
                 std::initializer_list<std::pair<const char*, const char*>> options,
                 Evaluator& evaluator) {
  DopplerPolicy policy(settings_of(options), 1);
  Rng rng(1);
  return policy.place(problem, evaluator, rng);
}

TEST(PlaceByPieces, IsBetterOnAModelThanAPlacementOfTheWhole) {
  const auto problem = problem_of("workload:llama-model:4:reference:l12", Topology::uniform(4));
  Evaluator by_pieces(*problem);
  Evaluator whole(*problem);
  static_cast<void>(placed(*problem, {}, by_pieces));
  static_cast<void>(placed(*problem, {{"pieces", "false"}}, whole));
  EXPECT_LT(by_pieces.best_makespan(), 0.98 * whole.best_makespan());
}

TEST(PlaceByPieces, IsLegalUnderEveryDisciplineAndTheSameForASeed) {
  for (const Discipline discipline :
       {Discipline::kAuto, Discipline::kFifo, Discipline::kPriority, Discipline::kStaticOrder}) {
    const auto problem =
        problem_of("workload:llama-model:2:reference:l4", Topology::uniform(2), discipline);
    for (const std::uint64_t simulations : {0U, 5U, 20U, 100U, 2'000U}) {
      Evaluator first(*problem, {simulations, 0.0});
      Evaluator second(*problem, {simulations, 0.0});
      const Placement placement = placed(*problem, {}, first);
      EXPECT_EQ(placement, placed(*problem, {}, second));
      EXPECT_NO_THROW(check_placement(*problem, placement));
      EXPECT_TRUE(std::isfinite(Simulator(*problem).makespan(placement)));
      if (simulations > 0) {
        EXPECT_LE(first.simulations(), simulations);
      }
    }
  }
}

TEST(PlaceByPieces, LeavesAGraphWholeWhoseOpsAreNoisyByTheirNumber) {
  const Graph graph = datasets::make_workload_of("workload:llama-model:4:reference:l4");
  const auto spent = [&](double noise, const char* pieces) {
    ExecutionOptions execution;
    execution.compute_noise = noise;
    const auto problem = make_problem("noisy", graph, Topology::uniform(4), execution);
    Evaluator evaluator(*problem);
    static_cast<void>(placed(*problem, {{"pieces", pieces}}, evaluator));
    return evaluator.simulations();
  };
  EXPECT_EQ(spent(0.1, "true"), spent(0.1, "false"));
  EXPECT_GT(spent(0.0, "true"), spent(0.0, "false"));
}

TEST(PlaceByPieces, RespectsMemoryThatAllPiecesShare) {
  // 600 ops of one byte on four devices of 160: pieces of their own would not know.
  GraphBuilder builder("heavy");
  OpSpec op;
  op.work = 1.0;
  op.memory_bytes = 1.0;
  for (std::size_t v = 0; v < 600; ++v) {
    builder.add_op(op);
    if (v > 0) {
      builder.add_edge(to_id<OpId>(v - 1), to_id<OpId>(v), 0.01);
    }
  }
  const auto problem =
      make_problem("heavy", builder.freeze(), connected({1.0, 1.0, 1.0, 1.0}, 160.0), {});
  Evaluator evaluator(*problem);
  Evaluator whole(*problem);
  EXPECT_NO_THROW(check_placement(*problem, placed(*problem, {}, evaluator)));
  static_cast<void>(placed(*problem, {{"pieces", "false"}}, whole));
  EXPECT_EQ(evaluator.simulations(), whole.simulations());  // it was not cut
}

TEST(Search, BeginsWithADescentAboveFiveHundredOpsAndSoEndsShorterThanAnnealing) {
  double ratios = 0.0;
  for (const std::size_t devices : {4U, 8U}) {
    const auto problem =
        problem_of("workload:llama-model:" + std::to_string(devices) + ":reference:l6",
                   Topology::uniform(devices));
    const SearchBudget budget{.simulations = 20'000};
    Evaluator learned(*problem, budget);
    static_cast<void>(placed(*problem, {{"samples", "0"}, {"pieces", "false"}}, learned));
    Rng rng(1);
    Evaluator plain(*problem, budget);
    baselines::search_start(plain);
    baselines::anneal(plain, 0, rng);
    ratios += learned.best_makespan() / plain.best_makespan();
  }
  EXPECT_LT(ratios, 2.0 * 0.985);
}

}  // namespace
}  // namespace berth::doppler
