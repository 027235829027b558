// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include "hadar_scheduler.hpp"
#include "hadare_scheduler.hpp"
#include "options.hpp"

BERTH_PLUGIN("hadar",
             "0.1.0",
             berth::offer<berth::ClusterScheduler, berth::hadar::make_hadar>(
                 "hadar",
                 "Primal-dual scheduling of tasks on mixed accelerators (IPDPS 2024).",
                 berth::hadar::kHadarOptions),
             berth::offer<berth::ClusterScheduler, berth::hadar::make_hadare>(
                 "hadare",
                 "Forked jobs: copies train at once on separate nodes; for berth schedule --fork.",
                 berth::hadar::kHadareOptions))
