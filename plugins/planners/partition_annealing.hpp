// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>

#include "berth/graph_partitioner.hpp"
#include "berth/host_services.hpp"

namespace berth::planners {

struct PartitionAnnealing {
  std::uint64_t moves = 2'000'000;  ///< Tried, over all restarts.
  std::uint32_t restarts = 4;
  std::uint64_t seed = 1;
};

inline constexpr berth_option_spec kPartitionAnnealingOptions[] = {
    {"moves", BERTH_OPTION_INTEGER, "2000000", 1, 1e12, "", "", "Moves tried, over all restarts."},
    {"restarts", BERTH_OPTION_INTEGER, "4", 1, 1e6, "", "", "Annealings, each with its share."},
};

/// Stages that need not be contiguous, by simulated annealing (Kirkpatrick et al. 1983) from the
/// best contiguous plan, or from a greedy one where that is out of reach: moves one item to another
/// device or exchanges two, against the 16-norm of the loads, memory respected throughout. Keeps
/// the least maximum seen, so it is never worse than its start. Cost of a move: the transfers of an
/// item.
/// @throws InputError for problems with replicas, several widths or choices of variants.
[[nodiscard]] PartitionAnswer anneal_partition(const PartitionProblem& problem,
                                               const PartitionAnnealing& settings);

[[nodiscard]] std::unique_ptr<GraphPartitioner> make_annealing_partitioner(
    const HostServices& host);

}  // namespace berth::planners
