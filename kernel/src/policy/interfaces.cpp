// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/device_executor.hpp"
#include "berth/executor.hpp"
#include "berth/graph_partitioner.hpp"
#include "berth/operator_scheduler.hpp"
#include "berth/placement_policy.hpp"
#include "berth/rank_executor.hpp"
#include "berth/state.hpp"
#include "berth/strategy_planner.hpp"
#include "berth/trainable_policy.hpp"

namespace berth {
inline namespace abi_v1 {

// One home for the virtual tables of the seams.
Executor::~Executor() = default;
OperatorScheduler::~OperatorScheduler() = default;
GraphPartitioner::~GraphPartitioner() = default;
DeviceExecutor::~DeviceExecutor() = default;
ExecutorFactory::~ExecutorFactory() = default;
PeerGroup::~PeerGroup() = default;
RankExecutorFactory::~RankExecutorFactory() = default;
PlacementPolicy::~PlacementPolicy() = default;
StrategyPlanner::~StrategyPlanner() = default;
std::size_t StrategyPlanner::work_items(const StrategyProblem& /*problem*/) {
  return 1;
}
TrainablePolicy::~TrainablePolicy() = default;
StateWriter::~StateWriter() = default;
StateReader::~StateReader() = default;

void TrainablePolicy::improved(const PlacementProblem& /*problem*/,
                               std::uint32_t /*index*/,
                               const Placement& /*placement*/,
                               double /*makespan*/) {}

}  // namespace abi_v1
}  // namespace berth
