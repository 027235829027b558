// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "critical_path.hpp"

#include <algorithm>
#include <limits>

#include "ranks.hpp"
#include "ready_set.hpp"
#include "settle.hpp"

namespace berth::baselines {
namespace {

using Rules = CriticalPathRules;

/// Position in `ready` of the op to take next.
std::size_t choose_op(const std::vector<OpId>& ready,
                      const std::vector<double>& level,
                      const Rules& rules,
                      std::vector<std::size_t>& ties,
                      Rng& rng) {
  ties.clear();
  double most = -1.0;
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const double here = level[index(ready[i])];
    if (here > most) {
      most = here;
      ties.clear();
    }
    if (here == most) {
      ties.push_back(i);
    }
  }
  if (rules.node_rule == Rules::NodeRule::kOldest) {
    return rules.ties == Rules::Ties::kRandom ? rng.below(ties.size()) : 0;
  }
  if (rules.ties == Rules::Ties::kRandom) {
    return ties[rng.below(ties.size())];
  }
  return *std::min_element(ties.begin(), ties.end(), [&ready](std::size_t a, std::size_t b) {
    return ready[a] < ready[b];
  });
}

}  // namespace

PartialSchedule critical_path_schedule(const PlacementProblem& problem,
                                       const Rules& rules,
                                       Rng& rng) {
  const std::vector<double> level = upward_ranks(problem);
  PartialSchedule schedule(problem);
  ReadySet ready(problem.graph);
  std::vector<std::size_t> op_ties;
  std::vector<DeviceId> device_ties;
  while (!ready.empty()) {
    const std::size_t chosen = choose_op(ready.ops(), level, rules, op_ties, rng);
    const OpId op = ready.ops()[chosen];
    double earliest = std::numeric_limits<double>::infinity();
    device_ties.clear();
    for (std::size_t d = 0; d < problem.costs.num_devices; ++d) {
      const auto device = to_id<DeviceId>(d);
      if (!schedule.fits(op, device)) {
        continue;
      }
      const double start = schedule.earliest_start(op, device, Gaps::kAppend);
      if (start < earliest) {
        earliest = start;
        device_ties.clear();
      }
      if (start == earliest) {
        device_ties.push_back(device);
      }
    }
    if (device_ties.empty()) {
      refuse_full("critical-path", problem.graph, op);
    }
    const DeviceId device = rules.ties == Rules::Ties::kRandom
                                ? device_ties[rng.below(device_ties.size())]
                                : device_ties.front();
    const bool by_load = rules.timeline == Rules::Timeline::kLoad;
    schedule.assign(op, device, by_load ? schedule.load(device) : earliest);
    ready.take(chosen);
  }
  return schedule;
}

namespace {

class CriticalPathPolicy final : public PlacementPolicy {
 public:
  CriticalPathPolicy(const Rules& rules, std::int64_t runs) : rules_(rules), runs_(runs) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) override {
    Scored best;
    for (std::int64_t run = 0; run < runs_ && (run == 0 || !evaluator.exhausted()); ++run) {
      Placement ordered = or_packed(
          problem, [&] { return critical_path_schedule(problem, rules_, rng).placement(); });
      if (rules_.timeline == Rules::Timeline::kLoad) {
        // Starts by load may precede the data: only the topological order is safe.
        ordered.order = topological_order_values(problem.graph);
      }
      Scored scored = score(evaluator, std::move(ordered));
      if (run == 0 || scored.makespan < best.makespan) {
        best = std::move(scored);
      }
    }
    return std::move(best.placement);
  }

 private:
  Rules rules_;
  std::int64_t runs_;
};

}  // namespace

std::unique_ptr<PlacementPolicy> make_critical_path(const HostServices& host) {
  const Config& config = *host.config;
  Rules rules;
  rules.ties = config.text("ties") == "lowest" ? Rules::Ties::kLowest : Rules::Ties::kRandom;
  rules.timeline =
      config.text("timeline") == "load" ? Rules::Timeline::kLoad : Rules::Timeline::kEarliestStart;
  rules.node_rule = config.text("node_rule") == "oldest" ? Rules::NodeRule::kOldest
                                                         : Rules::NodeRule::kBottomLevel;
  const bool random = rules.ties == Rules::Ties::kRandom;
  return std::make_unique<CriticalPathPolicy>(rules, random ? config.integer("runs") : 1);
}

}  // namespace berth::baselines
