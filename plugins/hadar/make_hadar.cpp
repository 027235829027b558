// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "hadar_presets.hpp"

namespace berth::hadar {
HadarOptions preset(std::string_view name) {
  HadarOptions options;
  const bool paper = name == "paper_jct" || name == "paper_ttd";
  if (paper) {
    options.utility = name == "paper_jct" ? UtilityKind::kInvJct : UtilityKind::kInvSlowdown;
    options.settings.fill = false;
    return options;
  }
  options.prices.enabled = false;
  if (name == "jct") {
    options.utility = UtilityKind::kInvRemaining;
    options.allocation = AllocationKind::kGreedy;
  } else {
    options.utility = UtilityKind::kMakespan;
    options.allocation = AllocationKind::kExact;
    options.replan_rounds = 20;
  }
  return options;
}

std::unique_ptr<ClusterScheduler> make_hadar(const HostServices& host) {
  const Config& config = *host.config;
  HadarOptions options = preset(config.text("preset"));
  const auto given = [&config](const char* option) { return config.text(option) != "preset"; };
  if (given("utility")) {
    options.utility = parse_utility(config.text("utility"));
  }
  if (given("prices")) {
    options.prices.enabled = config.text("prices") == "on";
  }
  if (given("fill")) {
    options.settings.fill = config.text("fill") == "on";
  }
  if (given("allocation")) {
    options.allocation =
        config.text("allocation") == "exact" ? AllocationKind::kExact : AllocationKind::kGreedy;
  }
  if (config.integer("replan_rounds") > 0) {
    options.replan_rounds = static_cast<std::uint32_t>(config.integer("replan_rounds"));
  }
  options.prices.pool =
      config.text("price_pool") == "machine" ? PricePool::kMachine : PricePool::kType;
  options.prices.umax = config.text("umax") == "per_gpu" ? UmaxRule::kPerGpu : UmaxRule::kPerGang;
  options.prices.eta = config.real("eta");
  options.horizon_seconds = config.real("horizon_seconds");
  options.settings.stickiness = config.real("stickiness");
  options.settings.state_limit = static_cast<std::size_t>(config.integer("state_limit"));
  return std::make_unique<HadarScheduler>(options);
}

}  // namespace berth::hadar
