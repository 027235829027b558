// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include "annealing.hpp"
#include "critical_path.hpp"
#include "enumopt.hpp"
#include "etf.hpp"
#include "exhaustive.hpp"
#include "heft.hpp"
#include "mct.hpp"
#include "peft.hpp"
#include "random_devices.hpp"
#include "round_robin.hpp"
#include "single_device.hpp"

using berth::offer;
using berth::PlacementPolicy;
namespace baselines = berth::baselines;

BERTH_PLUGIN(
    "baselines",
    "0.1.0",
    offer<PlacementPolicy, baselines::make_single_device>(
        "single-device", "Everything on the one device that is fastest alone.", {}),
    offer<PlacementPolicy, baselines::make_random>("random",
                                                   "Each op on a uniformly random device.",
                                                   {}),
    offer<PlacementPolicy, baselines::make_round_robin>("round-robin",
                                                        "Ops dealt out to the devices in turn.",
                                                        baselines::kRoundRobinOptions),
    offer<PlacementPolicy, baselines::make_critical_path>(
        "critical-path",
        "List scheduling by b-level on the earliest device (DOPPLER).",
        baselines::kCriticalPathOptions),
    offer<PlacementPolicy, baselines::make_heft>("heft",
                                                 "HEFT with insertion (Topcuoglu et al. 2002).",
                                                 baselines::kHeftOptions),
    offer<PlacementPolicy, baselines::make_peft>(
        "peft", "PEFT with insertion (Arabnejad and Barbosa 2014).", {}),
    offer<PlacementPolicy, baselines::make_etf>("etf",
                                                "Earliest task first (Hwang et al. 1989).",
                                                {}),
    offer<PlacementPolicy, baselines::make_mct>(
        "mct", "Minimum completion time, ops as they become ready (StarPU's dmda).", {}),
    offer<PlacementPolicy, baselines::make_enumopt>(
        "enumopt",
        "Blocks of an operation over the cheapest devices (EnumerativeOptimizer of DOPPLER).",
        baselines::kEnumOptOptions),
    offer<PlacementPolicy, baselines::make_annealing>(
        "annealing", "Simulated annealing over devices and orders.", baselines::kAnnealingOptions),
    offer<PlacementPolicy, baselines::make_local_search>(
        "local-search",
        "Iterated local search over devices and orders.",
        baselines::kLocalSearchOptions),
    offer<PlacementPolicy, baselines::make_exhaustive>("exhaustive",
                                                       "Branch and bound to a proved optimum.",
                                                       baselines::kExhaustiveOptions))
