// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "berth/cluster_scheduler.hpp"
#include "berth/config.hpp"
#include "berth/device_executor.hpp"
#include "berth/graph_partitioner.hpp"
#include "berth/host_services.hpp"
#include "berth/operator_scheduler.hpp"
#include "berth/placement_policy.hpp"
#include "berth/rank_executor.hpp"
#include "berth/strategy_planner.hpp"
#include "berth/trainable_policy.hpp"
#include "berth/training_job.hpp"

namespace berth {
inline namespace abi_v1 {

/// FNV-1a over size and alignment of every type that crosses the plugin boundary: catches
/// debug-mode containers, packing flags and a changed struct without a version.
[[nodiscard]] constexpr std::uint64_t layout_hash() noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto mix = [&hash](std::size_t value) { hash = (hash ^ value) * 0x100000001b3ULL; };
  const auto add = [&mix]<class... Types>() { (..., (mix(sizeof(Types)), mix(alignof(Types)))); };
  add.operator()<std::string,
                 std::vector<double>,
                 std::map<std::string, std::string>,
                 std::span<const float>,
                 std::unique_ptr<int>,
                 std::shared_ptr<int>>();
  add.operator()<Graph,
                 Topology,
                 CostTable,
                 ExecutionOptions,
                 PlacementProblem,
                 Placement,
                 Trace,
                 OpInterval,
                 TransferInterval,
                 Rng>();
  add.operator()<Simulator,
                 Evaluator,
                 SearchBudget,
                 PlacementPolicy,
                 TrainablePolicy,
                 Config,
                 HostServices>();
  add.
  operator()<DeviceSpec, OpRate, LinkSpec, MeasureSpec, Measurement, DeviceExecutor, PeerGroup>();
  add.operator()<RolloutSpec, Rollout, RolloutOutcome, ScoredRollout, StepSpec>();
  add.operator()<Logger, LogField, StateWriter, StateReader>();
  add.operator()<StrategyProblem,
                 StrategyConfiguration,
                 LayerCost,
                 NetworkLevels,
                 DeviceClass,
                 StrategyPlanner,
                 StrategyAnswer,
                 WorkShare,
                 ParallelPlan,
                 PlanKey,
                 PlanStage>();
  add.operator()<OperatorScheduler,
                 OperatorGraph,
                 LayerOperator,
                 OperatorSchedule,
                 SolverLimits,
                 ProgramAnswer>();
  add.operator()<PartitionProblem,
                 PartitionNode,
                 PartitionVariant,
                 PartitionTransfer,
                 PartitionStage,
                 PartitionPlan,
                 PartitionAnswer,
                 GraphPartitioner>();
  add.operator()<Cluster,
                 JobSpec,
                 JobState,
                 GangModel,
                 JobOutcome,
                 RoundContext,
                 Assignment,
                 RoundSchedule,
                 SchedulerFigure,
                 ClusterScheduler>();
  add.operator()<TrainingTensor,
                 TrainingSize,
                 TrainingCounters,
                 TrainingOrder,
                 TrainingOutcome,
                 TrainingScore,
                 TrainingJob>();
  return hash;
}

#define BERTH_STRINGIZE_(x) #x
#define BERTH_STRINGIZE(x) BERTH_STRINGIZE_(x)

/// What must be equal between host and plugin for C++ objects to cross.
[[nodiscard]] constexpr const char* toolchain() noexcept {
#if defined(__clang__)
#define BERTH_COMPILER "clang " BERTH_STRINGIZE(__clang_major__)
#else
#define BERTH_COMPILER "gcc " BERTH_STRINGIZE(__GNUC__)
#endif
  return BERTH_COMPILER " abi " BERTH_STRINGIZE(__GXX_ABI_VERSION) " cxx11 " BERTH_STRINGIZE(
      _GLIBCXX_USE_CXX11_ABI) " std " BERTH_STRINGIZE(__cplusplus) " ptr " BERTH_STRINGIZE(__SIZEOF_POINTER__);
}

}  // namespace abi_v1
}  // namespace berth
