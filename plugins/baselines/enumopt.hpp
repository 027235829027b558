// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <vector>

#include "berth/host_services.hpp"
#include "berth/placement_policy.hpp"

namespace berth::baselines {

inline constexpr berth_option_spec kEnumOptOptions[] = {
    {"variant",
     BERTH_OPTION_CHOICE,
     "permutations",
     0,
     0,
     "",
     "permutations,ranges,greedy",
     "Blocks of a meta-op dealt out over the best permutation of the devices; each output block "
     "over the best range of devices; op by op on the best device."},
    {"transfer_weight",
     BERTH_OPTION_REAL,
     "1",
     0,
     1e6,
     "",
     "",
     "Of transfer time against compute time (ranges, greedy)."},
    {"sweeps",
     BERTH_OPTION_INTEGER,
     "0",
     0,
     1e9,
     "sweeps",
     "",
     "At most this many times over all meta-ops, exchange two devices among the blocks of one "
     "where the simulator finds that better."},
};

/// EnumerativeOptimizer, the hand-made baseline of DOPPLER (arXiv 2505.23131) for graphs of
/// operations cut into blocks. Its code is not public; these are the two readings of it.
///
/// Permutations: meta-ops in topological order; block i of a meta-op goes to p[i mod devices],
/// where the permutation p has the least transfer time from what is placed already. Up to six
/// devices all permutations are tried, the first of the cheapest is kept; beyond, the cheapest is
/// found as an assignment of least cost.
/// @return [ops]
/// @throws SolverError if the devices' memory runs out. Cost O(edges * devices + meta-ops *
///         (devices! or devices^3)).
[[nodiscard]] std::vector<DeviceId> place_by_permutations(const PlacementProblem& problem);

/// What a placement by sites minimises.
enum class SiteScope : std::uint8_t {
  kMetaOp,  ///< The largest device cost within the meta-op, over ranges of devices.
  kGlobal,  ///< The largest device cost of all, op by op.
};

/// After the open engine Einsummable. kMetaOp: an output block is an aggregation (an op of kind
/// "formation" all of whose producers are of one meta-op and feed it alone) with its producers, or
/// any other op alone. For each output block every aligned range [b, b+s) of devices is tried, s
/// the powers of two from the number of producers down to 1, producer j on b + j mod s, the
/// aggregation on each device of the range. A device is charged the compute time of producers on
/// it, the transfer time of each of their inputs that lies elsewhere, once a meta-op; a move to the
/// aggregation is charged at both ends. kGlobal: op by op, every device, costs summed over the
/// whole graph, every move charged at both ends. Ties: least sum, larger range, lower device.
/// @return [ops]
/// @throws SolverError if the devices' memory runs out. Cost O((ops * devices + edges) * devices *
///         log devices).
[[nodiscard]] std::vector<DeviceId> place_by_sites(const PlacementProblem& problem,
                                                   SiteScope scope,
                                                   double transfer_weight);

/// @return the policy; it spends one or two simulations, and with `sweeps` what the budget allows.
[[nodiscard]] std::unique_ptr<PlacementPolicy> make_enumopt(const HostServices& host);

}  // namespace berth::baselines
