// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "berth/strategy_planner.hpp"

#include "farm/archive.hpp"

// How what a rank has planned gets to the others: found by argument-dependent lookup; every field,
// so that the merged plans are the found ones.
namespace berth {
inline namespace abi_v1 {

template <class Archive>
void serialize(Archive& archive, StageTime& time, unsigned /*version*/) {
  archive& time.forward& time.backward& time.recompute& time.transfer& time.zero& time.sync& time
      .step;
}

template <class Archive>
void serialize(Archive& archive, StageMemory& memory, unsigned /*version*/) {
  archive& memory.weights& memory.gradients& memory.optimizer& memory.stash& memory.work& memory
      .reserve;
}

template <class Archive>
void serialize(Archive& archive, PlanStage& stage, unsigned /*version*/) {
  archive& stage.first_layer& stage.num_layers& stage.devices& stage.configuration& stage
      .recompute& stage.blocks& stage.time& stage.memory;
}

template <class Archive>
void serialize(Archive& archive, PlanKey& key, unsigned /*version*/) {
  archive& key.objective& key.seconds& key.item& key.order;
}

template <class Archive>
void serialize(Archive& archive, ParallelPlan& plan, unsigned /*version*/) {
  archive& plan.configuration& plan.tensor& plan.context& plan.expert& plan.sequence_parallel;
  archive& plan.micro_batch& plan.data& plan.micro_batches& plan.zero_stage& plan.chunks;
  archive& plan.packing& plan.class_order& plan.stages& plan.seconds_per_batch;
  archive& plan.pipeline_seconds& plan.sync_seconds& plan.key;
}

template <class Archive>
void serialize(Archive& archive, StrategyAnswer& answer, unsigned /*version*/) {
  archive& answer.plans& answer.infeasible& answer.candidates& answer.solved& answer.notes;
}

}  // namespace abi_v1
}  // namespace berth
