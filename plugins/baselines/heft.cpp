// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "heft.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "ranks.hpp"
#include "settle.hpp"
#include "single_device.hpp"

namespace berth::baselines {
namespace {

using RankTies = HeftRules::RankTies;

/// Secondary sort key, largest first, of ops of equal rank.
std::vector<double> tie_keys(const PlacementProblem& problem,
                             const std::vector<double>& rank,
                             RankTies ties) {
  const Graph& graph = problem.graph;
  std::vector<double> key(graph.num_ops(), 0.0);
  if (ties == RankTies::kLongestFirst || ties == RankTies::kShortestFirst) {
    key = problem.costs.mean_compute(graph.num_ops());
    if (ties == RankTies::kShortestFirst) {
      std::transform(key.begin(), key.end(), key.begin(), std::negate<>());
    }
    return key;
  }
  for (std::size_t v = 0; v < key.size() && ties != RankTies::kTopological; ++v) {
    for (const OpId next : graph.successors(to_id<OpId>(v))) {
      key[v] += ties == RankTies::kMostSuccessors ? 1.0 : rank[index(next)];
    }
  }
  return key;
}

/// Ops by descending (rank, tie key), then topological position. Ops without duration keep to the
/// topological position, as one may precede another of the same rank.
std::vector<OpId> priority_list(const PlacementProblem& problem, RankTies ties) {
  const std::vector<double> rank = upward_ranks(problem);
  std::vector<OpId> ops = by_descending_rank(problem.graph, rank);
  const std::vector<double> key = tie_keys(problem, rank, ties);
  const std::vector<double> least = problem.costs.least_compute(problem.graph.num_ops());
  for (auto first = ops.begin(); first != ops.end();) {
    const auto last = std::find_if(
        first, ops.end(), [&](OpId op) { return rank[index(op)] != rank[index(*first)]; });
    if (std::all_of(first, last, [&least](OpId op) { return least[index(op)] > 0.0; })) {
      std::stable_sort(
          first, last, [&key](OpId a, OpId b) { return key[index(a)] > key[index(b)]; });
    }
    first = last;
  }
  return ops;
}

/// The best of HEFT's placements, all simulated as far as the budget goes.
Scored best_heft(Evaluator& evaluator, bool best_ties, bool single_device) {
  const PlacementProblem& problem = evaluator.problem();
  Scored best =
      score(evaluator, or_packed(problem, [&] { return heft_schedule(problem).placement(); }));
  const auto consider = [&](const auto& build) {
    if (evaluator.exhausted()) {
      return;
    }
    Scored scored = score(evaluator, build());
    if (scored.makespan < best.makespan) {
      best = std::move(scored);
    }
  };
  if (best_ties) {
    for (const RankTies ties : {RankTies::kTopological,
                                RankTies::kLongestFirst,
                                RankTies::kShortestFirst,
                                RankTies::kMostSuccessors,
                                RankTies::kHeaviestSuccessors}) {
      consider([&] {
        return or_packed(problem, [&] {
          return heft_schedule(problem, {ties, HeftRules::DeviceTies::kLeastIdle}).placement();
        });
      });
    }
  }
  const auto single = single_device ? best_single_device(problem) : std::nullopt;
  if (single) {
    consider([&] {
      return Placement{std::vector<DeviceId>(problem.graph.num_ops(), *single),
                       topological_order_values(problem.graph)};
    });
  }
  return best;
}

class HeftPolicy final : public PlacementPolicy {
 public:
  HeftPolicy(bool best_ties, bool single_device)
      : best_ties_(best_ties), single_device_(single_device) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& /*rng*/) override {
    if (best_ties_ || single_device_) {
      return best_heft(evaluator, best_ties_, single_device_).placement;
    }
    return settle(evaluator,
                  or_packed(problem, [&] { return heft_schedule(problem).placement(); }));
  }

 private:
  bool best_ties_;
  bool single_device_;
};

}  // namespace

PartialSchedule heft_schedule(const PlacementProblem& problem, const HeftRules& rules) {
  const bool least_idle = rules.device_ties == HeftRules::DeviceTies::kLeastIdle;
  PartialSchedule schedule(problem);
  for (const OpId op : priority_list(problem, rules.rank_ties)) {
    double best_finish = std::numeric_limits<double>::infinity();
    double best_start = 0.0;
    DeviceId best{};
    for (std::size_t d = 0; d < problem.costs.num_devices; ++d) {
      const auto device = to_id<DeviceId>(d);
      if (!schedule.fits(op, device)) {
        continue;
      }
      const double start = schedule.earliest_start(op, device, Gaps::kInsert);
      const double finish = start + schedule.compute(op, device);
      const bool tighter =
          least_idle && finish == best_finish &&
          problem.costs.device_class[d] == problem.costs.device_class[index(best)] &&
          schedule.idle_before(start, device) < schedule.idle_before(best_start, best);
      if (finish < best_finish || tighter) {
        best_finish = finish;
        best_start = start;
        best = device;
      }
    }
    if (best_finish == std::numeric_limits<double>::infinity()) {
      refuse_full("heft", problem.graph, op);
    }
    schedule.assign(op, best, best_start);
  }
  return schedule;
}

void offer_heft(Evaluator& evaluator) {
  static_cast<void>(best_heft(evaluator, /*best_ties=*/true, /*single_device=*/true));
}

std::unique_ptr<PlacementPolicy> make_heft(const HostServices& host) {
  return std::make_unique<HeftPolicy>(host.config->text("ties") == "best",
                                      host.config->flag("single_device"));
}

}  // namespace berth::baselines
