// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/plan_score.hpp"
#include "berth/plugin_host.hpp"

#include "policy_request.hpp"
#include "published_nest.hpp"

namespace berth::launcher {

/// A model on a cluster that all planners plan.
struct PlanCase {
  std::string experiment;
  std::string model;    ///< As `berth plan` takes it.
  std::string cluster;  ///< Likewise.
  std::uint32_t global_batch = 4096;
  std::uint32_t micro_batch = 1;
  const PublishedPoint* published = nullptr;  ///< May be null.

  [[nodiscard]] std::string label() const;
};

/// What one planner made of a case; seconds of the kernel's evaluator, 0 where nothing fits.
struct PlannerResult {
  double seconds = 0.0;    ///< Per batch, the plan as it is.
  double best_cuts = 0.0;  ///< The same degrees with the best cuts; 0: degrees differ by stage.
  double search_seconds = 0.0;
  std::string degrees;  ///< Stages, data, tensor and so on, for people.
  std::string reason;   ///< Why there is no plan.
};

struct CaseResult {
  PlanCase plan_case;
  std::vector<PlannerResult> results;  ///< [planners]
};

/// The cases of an experiment: "figure5" (5 models, 64 to 1,024 devices), "readme" (H100
/// spine-leaf), "figure6" (micro-batches at 256 devices), "exhaustive" (small enough to enumerate).
[[nodiscard]] std::vector<PlanCase> plan_cases(const std::string& experiment, bool quick);

/// Runs one planner on a case. @throws InputError, PluginError as the planner.
[[nodiscard]] PlannerResult run_planner(PluginHost& host,
                                        const StrategyProblem& problem,
                                        const PolicyRequest& request,
                                        std::uint64_t seed);

/// The problem of a case: shipped costs, one micro-batch size.
[[nodiscard]] StrategyProblem case_problem(const PlanCase& plan_case);

}  // namespace berth::launcher
