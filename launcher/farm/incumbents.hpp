// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "berth/logger.hpp"
#include "berth/plugin_host.hpp"
#include "berth/trainable_policy.hpp"

#include "campaign_record.hpp"
#include "mpi_session.hpp"
#include "policy_request.hpp"
#include "rollout_runner.hpp"

namespace berth::launcher {

/// The policies of a list such as "heft,annealing(restarts=3)"; "" is none, "auto" is
/// critical-path and heft as far as a plugin offers them, with a warning for each that is absent.
/// @throws as parse_policies() and policy_config().
[[nodiscard]] std::vector<PolicyRequest> find_rivals(PluginHost& host,
                                                     const std::string& list,
                                                     Logger& logger);

/// Runs a policy on a problem with at most `simulations` of them (0: as many as it wants).
/// The result is the best of what it answered and what it tried.
[[nodiscard]] RivalResult run_rival(PluginHost& host,
                                    const PolicyRequest& request,
                                    const PlacementProblem& problem,
                                    std::uint64_t seed,
                                    std::uint64_t simulations);

/// What a campaign starts from: rank 0 runs the incumbents on every problem and tells all ranks;
/// the best of them and of what was given becomes the best known placement, and `policy` hears of
/// it. @param given [problems] placements that run now; empty where not known.
void start_from_incumbents(MpiSession& session,
                           PluginHost& host,
                           const std::vector<PolicyRequest>& incumbents,
                           const Problems& problems,
                           std::span<const Placement> given,
                           std::uint64_t seed,
                           TrainablePolicy& policy,
                           CampaignRecord& record);

}  // namespace berth::launcher
