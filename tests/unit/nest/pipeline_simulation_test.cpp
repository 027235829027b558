// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "berth/error.hpp"
#include "berth/plan_score.hpp"
#include "berth/rng.hpp"

namespace berth {
namespace {

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
