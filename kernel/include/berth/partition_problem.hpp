// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// One way to run a node with one tensor width, per device of its group.
struct PartitionVariant {
  std::string name;
  double seconds = 0.0;          ///< Forward and backward pass of one sample.
  double parameter_bytes = 0.0;  ///< What the replicas of a stage reduce once per batch.
  double stash_bytes = 0.0;      ///< Per sample in flight.
  double fixed_bytes = 0.0;      ///< Whatever the number of samples in flight.
  /// (transfer, seconds): what this node's stage pays on top if that transfer crosses its border.
  std::vector<std::pair<std::uint32_t, double>> at_border;
};

/// A layer (or operator) of the graph to cut.
struct PartitionNode {
  std::string name;
  std::uint32_t group = 0;    ///< Nodes of one group share a stage.
  bool backward = false;      ///< Follows its group; contiguity is about the other nodes.
  double host_seconds = 0.0;  ///< One sample on a host; infinity: cannot run there.
  /// [widths][choices]; a width without choices cannot run the node.
  std::vector<std::vector<PartitionVariant>> variants;
};

/// What a producer sends. A stage pays `seconds` once if the transfer crosses its border, whether
/// it sends or receives.
struct PartitionTransfer {
  std::uint32_t from = 0;
  std::vector<std::uint32_t> to;
  double seconds = 0.0;

  bool operator==(const PartitionTransfer&) const = default;
};

/// A graph of layers to cut into stages so that the slowest stage is as fast as it can be: the
/// throughput of a full pipeline. Holds both public models of this problem.
///
/// Piper (Tarnawski, Narayanan and Phanishayee, NeurIPS 2021): a stage takes `data` replicas of
/// `width` devices each and
///   T = (sum of seconds + crossing transfers) / d + 4 (d - 1) w gradient_seconds_per_byte / (d N)
///   M = sum of (stash_bytes ceil(sum of d over this and all later stages / d) + fixed_bytes).
/// Maximum-load partitioning (Tarnawski et al., NeurIPS 2020): d = 1, one width, no stash, hosts
/// that pay for no transfer.
struct PartitionProblem {
  std::string model;
  /// Devices of one replica, not descending; one width may stand for several ways to run it.
  std::vector<std::uint32_t> widths = {1};
  std::vector<PartitionNode> nodes;
  std::vector<PartitionTransfer> transfers;
  std::uint32_t accelerators = 1;
  std::uint32_t hosts = 0;          ///< Every host is a stage of its own, without a memory limit.
  double memory_bytes = 0.0;        ///< Of an accelerator.
  std::uint32_t micro_batches = 1;  ///< N; replica counts divide it.
  bool data_parallel = false;       ///< Whether a stage may have replicas.
  double gradient_seconds_per_byte = 0.0;
};

/// Nodes that run on one host or on data x widths[width] accelerators.
struct PartitionStage {
  std::vector<std::uint32_t> nodes;    ///< Ascending.
  std::vector<std::uint32_t> choices;  ///< [nodes]: index of the variant; empty on a host.
  bool on_host = false;
  std::uint32_t width = 0;  ///< Index into PartitionProblem::widths.
  std::uint32_t data = 1;
  double seconds = 0.0;       ///< Per sample.
  double memory_bytes = 0.0;  ///< Per device.
};

/// Every node in one stage. In a contiguous plan the stages stand in the order of the data flow.
struct PartitionPlan {
  std::vector<PartitionStage> stages;
  double slowest_seconds = 0.0;
};

/// A plan priced anew; shares no code with any search.
struct PartitionScore {
  std::vector<double> seconds;       ///< [stages]
  std::vector<double> memory_bytes;  ///< [stages]
  double slowest_seconds = 0.0;
  std::size_t accelerators_used = 0;
  bool fits = false;        ///< Memory of every stage, number of accelerators and hosts.
  bool contiguous = false;  ///< No transfer between forward nodes goes to an earlier stage.
};

/// @throws InputError naming the node or transfer: unknown indices, numbers that are negative or
///         not finite, a node without a device it can run on, forward transfers in a circle.
BERTH_API void check_partition_problem(const PartitionProblem& problem);

/// Cost O(stages * (nodes + transfers)).
/// @throws InputError if a node is in no stage or in two, a group is split, a stage runs a node
///         where it cannot run, or a replica count does not divide the micro-batches.
[[nodiscard]] BERTH_API PartitionScore score_partition(const PartitionProblem& problem,
                                                       const PartitionPlan& plan);

}  // namespace abi_v1
}  // namespace berth
