// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/graph.hpp"
#include "berth/plan_score.hpp"
#include "berth/problem.hpp"
#include "berth/rng.hpp"
#include "berth/simulator.hpp"
#include "berth/topology.hpp"

namespace berth {
namespace {

// The passes of single replicas as a graph of operations, played by the kernel's event simulator
// under model `delay`, every device in the order that the schedule prescribes.
double on_the_kernels_simulator(const std::vector<PipelineStage>& stages,
                                std::size_t batch,
                                std::size_t chunks) {
  const std::size_t depth = stages.size() / chunks;
  GraphBuilder builder;
  std::vector<OpId> forward;
  std::vector<OpId> backward;
  Placement placement;
  for (const bool is_forward : {true, false}) {
    for (std::size_t i = 0; i < batch; ++i) {
      for (std::size_t q = 0; q < stages.size(); ++q) {
        OpSpec op;
        op.work = is_forward ? stages[q].forward_seconds : stages[q].backward_seconds;
        (is_forward ? forward : backward).push_back(builder.add_op(op));
        placement.device.push_back(to_id<DeviceId>(q % depth));
      }
    }
  }
  for (std::size_t i = 0; i < batch; ++i) {
    const std::size_t row = i * stages.size();
    for (std::size_t q = 0; q + 1 < stages.size(); ++q) {
      builder.add_edge(forward[row + q], forward[row + q + 1], stages[q].link_seconds);
      builder.add_edge(backward[row + q + 1], backward[row + q], stages[q].link_seconds);
    }
    builder.add_edge(forward[row + stages.size() - 1], backward[row + stages.size() - 1], 0.0);
  }
  // Narayanan et al. 2021: warm-up, then one forward and one backward pass in turn, then the rest.
  placement.order.assign(2 * batch * stages.size(), 0.0);
  for (std::size_t device = 0; device < depth; ++device) {
    const std::size_t passes = batch * chunks;
    const std::size_t warm = std::min(
        passes, chunks == 1 ? depth - device - 1 : 2 * (depth - device - 1) + (chunks - 1) * depth);
    const auto op = [&](bool is_forward, std::size_t k) {
      const std::size_t turn = k / depth % chunks;
      const std::size_t chunk = chunks == 1 ? 0 : is_forward ? turn : chunks - 1 - turn;
      const std::size_t i = chunks == 1 ? k : k / (depth * chunks) * depth + k % depth;
      return index((is_forward ? forward : backward)[i * stages.size() + chunk * depth + device]);
    };
    double next = 0.0;
    for (std::size_t k = 0; k < passes + warm; ++k) {
      if (k < passes) {
        placement.order[op(true, k)] = next++;
      }
      if (k >= warm) {
        placement.order[op(false, k - warm)] = next++;
      }
    }
  }
  ExecutionOptions options;
  options.discipline = Discipline::kStaticOrder;
  const auto problem =
      make_problem("pipeline", builder.freeze(), Topology::uniform(depth), options);
  return Simulator(*problem).makespan(placement);
}

std::vector<PipelineStage> random_stages(Rng& rng, std::size_t count, bool equal) {
  std::vector<PipelineStage> stages(count);
  for (PipelineStage& stage : stages) {
    stage = {0.1 + rng.uniform(), 0.2 + 2.0 * rng.uniform(), 0.4 * rng.uniform(), 1, 1.0};
    stage = equal ? stages.front() : stage;
  }
  return stages;
}

TEST(PipelineSimulation, AgreesWithTheKernelsEventSimulator) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed, {21});
    const std::size_t chunks = 1 + seed % 3;
    const std::size_t depth = (chunks > 1 ? 2 : 1) + rng.below(5);
    const std::size_t batch = chunks > 1 ? depth * (1 + rng.below(6)) : 1 + rng.below(30);
    const auto stages = random_stages(rng, depth * chunks, seed % 5 == 0);

    const double expected = on_the_kernels_simulator(stages, batch, chunks);

    EXPECT_NEAR(play_pipeline(stages, batch, chunks).seconds, expected, 1e-12 * expected)
        << "seed " << seed;
  }
}

TEST(PipelineSimulation, LeavesOutRoundsThatRepeatWithoutChangingTheTime) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Rng rng(seed, {22});
    const std::size_t chunks = 1 + seed % 3;
    const std::size_t depth = (chunks > 1 ? 2 : 1) + rng.below(5);
    const auto stages = random_stages(rng, depth * chunks, seed % 5 == 0);
    const std::size_t batch = depth * (100 + rng.below(200));

    const double expected = on_the_kernels_simulator(stages, batch, chunks);

    EXPECT_NEAR(play_pipeline(stages, batch, chunks).seconds, expected, 1e-11 * expected)
        << "seed " << seed;
  }
}

TEST(PipelineSimulation, InterleavingDividesTheBubbleByTheChunks) {
  // Narayanan et al. 2021, sec. 2.2: p - 1 times the passes of one chunk. Two devices, two chunks
  // each of 1 + 2 s, four micro-batches: (4 * 2 + 2 - 1) * 3 s = 27 s; without chunks, stages of
  // 2 + 4 s take (4 + 2 - 1) * 6 s = 30 s.
  const std::vector<PipelineStage> chunks(4, PipelineStage{1.0, 2.0, 0.0, 1, 0.0});
  const std::vector<PipelineStage> stages(2, PipelineStage{2.0, 4.0, 0.0, 1, 0.0});

  EXPECT_DOUBLE_EQ(play_pipeline(chunks, 4, 2).seconds, 27.0);
  EXPECT_DOUBLE_EQ(play_pipeline(stages, 4, 1).seconds, 30.0);
}

TEST(PipelineSimulation, EqualChunksTakeTheClosedFormForEveryDepth) {
  for (const std::size_t v : {2U, 3U, 5U}) {
    for (const std::size_t p : {2U, 3U, 4U, 8U}) {
      for (const std::size_t rounds : {1U, 2U, 7U}) {
        const std::vector<PipelineStage> stages(p * v, PipelineStage{0.5, 1.0, 0.0, 1, 0.0});
        const auto turns = static_cast<double>(rounds * p * v + p - 1);

        EXPECT_NEAR(play_pipeline(stages, rounds * p, v).seconds, turns * 1.5, 1e-9)
            << p << " devices, " << v << " chunks, " << rounds << " rounds";
      }
    }
  }
}

TEST(PipelineSimulation, InterleavingKeepsMoreMicroBatches) {
  // Device r of p keeps 2(p - r - 1) + (v - 1)p warm-up passes and one more: 2 * 3 + 4 + 1 = 11
  // chunk stashes on the first of 4 devices with 2 chunks, 5 on the last; 1F1B keeps 4 and 1 of
  // twice the size.
  const std::vector<PipelineStage> chunks(8, PipelineStage{1.0, 2.0, 0.0, 1, 1.0});
  const PipelineRun interleaved = play_pipeline(chunks, 16, 2);
  const std::vector<PipelineStage> stages(4, PipelineStage{2.0, 4.0, 0.0, 1, 2.0});
  const PipelineRun plain = play_pipeline(stages, 16, 1);

  EXPECT_EQ(interleaved.peak_bytes, (std::vector<double>{11.0, 9.0, 7.0, 5.0}));
  EXPECT_EQ(plain.peak_bytes, (std::vector<double>{8.0, 6.0, 4.0, 2.0}));
}

TEST(PipelineSimulation, TwoReplicasOfASlowStageKeepUpWithOneFastStage) {
  // Stage 1 (one replica) takes 1 s a pass, stage 2 (two replicas) 2 s. Forward: micro-batch i
  // leaves stage 1 at i + 1 and stage 2 at i + 3.
  const std::vector<PipelineStage> stages = {{1.0, 1.0, 0.0, 1, 1.0}, {2.0, 2.0, 0.0, 2, 1.0}};

  const PipelineRun run = play_pipeline(stages, 2, 1);

  // First stage: F0 0-1, F1 1-2. Second: F0 1-3, B0 3-5; F1 2-4, B1 4-6. First: B0 5-6, B1 6-7.
  EXPECT_DOUBLE_EQ(run.seconds, 7.0);
  // ceil((1 + 2) / 1) = 3 passes may be in flight in the first stage; there are two.
  EXPECT_EQ(run.in_flight, (std::vector<std::size_t>{2, 1}));
}

TEST(PipelineSimulation, UnequalReplicasNeverKeepMoreThanTheirShareNorStop) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Rng rng(seed, {8});
    const std::size_t batch = 1 + rng.below(40);
    std::vector<PipelineStage> stages(1 + rng.below(6));
    for (PipelineStage& stage : stages) {
      stage = {0.1 + rng.uniform(),
               0.2 + 2.0 * rng.uniform(),
               0.5 * rng.uniform(),
               std::min<std::size_t>(batch, 1 + rng.below(5)),
               1.0};
    }

    const PipelineRun run = play_pipeline(stages, batch, 1);

    double downstream = 0.0;
    double busy = 0.0;
    for (std::size_t q = stages.size(); q-- > 0;) {
      const auto own = static_cast<double>(stages[q].replicas);
      downstream += own;
      const double waves = std::ceil(static_cast<double>(batch) / own);
      EXPECT_LE(static_cast<double>(run.in_flight[q]), std::min(std::ceil(downstream / own), waves))
          << "seed " << seed;
      busy = std::max(busy, waves * (stages[q].forward_seconds + stages[q].backward_seconds));
    }
    EXPECT_GE(run.seconds, busy * (1.0 - 1e-12)) << "seed " << seed;
  }
}

TEST(PipelineSimulation, RefusesChunksThatDoNotDivide) {
  const std::vector<PipelineStage> stages(6, PipelineStage{1.0, 2.0, 0.0, 1, 0.0});

  EXPECT_THROW(static_cast<void>(play_pipeline(stages, 6, 4)), InputError);
  EXPECT_THROW(static_cast<void>(play_pipeline(stages, 4, 2)), InputError);
  EXPECT_THROW(static_cast<void>(play_pipeline(stages, 4, 0)), InputError);
}

}  // namespace
}  // namespace berth
