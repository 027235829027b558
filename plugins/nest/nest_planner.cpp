// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "nest_planner.hpp"

#include <string>

#include "berth/error.hpp"

#include "artifact_mode.hpp"
#include "outer_search.hpp"
#include "planner_options.hpp"

namespace berth::nest {
namespace {

ArtifactOptions artifact_options(const Config& config) {
  ArtifactOptions options;
  if (config.text("update") == "exact") {
    options.update = ArtifactOptions::Update::kExact;
  }
  if (config.text("recompute_cost") == "forward") {
    options.recompute_cost = ArtifactOptions::RecomputeCost::kForward;
  }
  if (config.text("fill") == "sum") {
    options.fill = ArtifactOptions::Fill::kSum;
    if (options.update == ArtifactOptions::Update::kArtifact) {
      throw InputError(
          "nest: fill=sum with update=artifact; the artifact knows (b+S-1)*max only; "
          "use update=exact");
    }
  }
  return options;
}

SearchSettings search_settings(const Config& config) {
  SearchSettings settings;
  settings.pins = parse_pins(config.text("pin"));
  settings.overlap_transfer = config.real("overlap_transfer");
  settings.overlap_gradient = config.real("overlap_gradient");
  const std::string& objective = config.text("objective");
  settings.objective = objective == "cost"      ? Objective::kCost
                       : objective == "devices" ? Objective::kDevices
                                                : Objective::kTime;
  return settings;
}

class NestPlanner final : public StrategyPlanner {
 public:
  explicit NestPlanner(const Config& config)
      : as_artifact_(config.text("mode") == "artifact"),
        artifact_(artifact_options(config)),
        settings_(search_settings(config)) {}

  // The artifact's widths depend on each other (one that is infeasible ends them all).
  std::size_t work_items(const StrategyProblem& problem) override {
    return as_artifact_ ? 1 : default_work_items(problem);
  }

  StrategyAnswer plan(const StrategyProblem& problem,
                      std::uint32_t top_k,
                      const WorkShare& share) override {
    check_problem(problem);
    return as_artifact_ ? plan_as_artifact(problem, artifact_, top_k)
                        : plan_default(problem, settings_, top_k, share);
  }

 private:
  bool as_artifact_;
  ArtifactOptions artifact_;
  SearchSettings settings_;
};

}  // namespace

std::span<const berth_option_spec> planner_options() {
  return kPlannerOptions;
}

std::unique_ptr<StrategyPlanner> make_planner(const HostServices& host) {
  return std::make_unique<NestPlanner>(*host.config);
}

}  // namespace berth::nest
