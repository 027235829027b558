// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "annealing.hpp"

#include <string>

#include "berth/error.hpp"

#include "annealing_search.hpp"
#include "delay_decoder.hpp"
#include "search_start.hpp"
#include "settle.hpp"

namespace berth::baselines {
namespace {

/// Shares of the limit where several ways of searching count, by what they end
/// at: devices alone, lists, and devices and orders, which start from the best
/// of the ways before.
constexpr double kDevicesUntil = 0.15;
constexpr double kListsUntil = 0.5;

struct Heats {
  Heat device;
  MoveGoal goal;  ///< Of moves of devices alone.
  Heat list;
  Heat order;
};

/// Searches from evaluator.best() by moves, at the temperatures given.
void search(Evaluator& evaluator, SearchLimit& limit, const Heats& heats, Rng& rng) {
  const PlacementProblem& problem = evaluator.problem();
  if (!order_counts(problem)) {
    anneal_devices(evaluator, {limit, 0.0, 1.0}, heats.device, heats.goal, rng);
    return;
  }
  double begin = 0.0;
  if (order_optional(problem)) {
    anneal_devices(evaluator, {limit, begin, kDevicesUntil}, heats.device, heats.goal, rng);
    begin = kDevicesUntil;
  }
  if (DelayDecoder::applies(problem)) {
    anneal_list(evaluator, {limit, begin, kListsUntil}, heats.list, rng);
    begin = kListsUntil;
  }
  anneal_order(evaluator, {limit, begin, 1.0}, heats.order, rng);
}

constexpr Heats kAnnealingHeats{kDeviceHeat, kShortest, kListHeat, kOrderHeat};
constexpr Heats kLocalHeats{kNoHeat, kShortest, kNoHeat, kNoHeat};
constexpr Heats kEarliestHeats{kDescent, kEarliest, kNoHeat, kNoHeat};
constexpr Heats kDescentHeats{kDescent, kEarliest, kListHeat, kOrderHeat};

/// Search from the best start.
class AnnealingPolicy final : public PlacementPolicy {
 public:
  AnnealingPolicy(std::uint64_t simulations, const Heats& heats)
      : simulations_(simulations), heats_(heats) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) override {
    if (heats_.goal.mean_finish > 0.0 && order_counts(problem) && !order_optional(problem)) {
      throw InputError(
          "objective mean-finish: it is of placements without an order, which discipline " +
          std::string(name_of(problem.execution.discipline)) +
          " does not have; expected fifo or auto");
    }
    SearchLimit limit(evaluator, simulations_);
    search_start(evaluator);
    search(evaluator, limit, heats_, rng);
    return evaluator.best();
  }

 private:
  std::uint64_t simulations_;
  Heats heats_;
};

std::uint64_t simulations_of(const HostServices& host) {
  return static_cast<std::uint64_t>(host.config->integer("simulations"));
}

}  // namespace

void anneal(Evaluator& evaluator, std::uint64_t simulations, Rng& rng) {
  SearchLimit limit(evaluator, simulations);
  search(evaluator, limit, kAnnealingHeats, rng);
}

void descend(Evaluator& evaluator, std::uint64_t simulations, Rng& rng) {
  SearchLimit limit(evaluator, simulations);
  search(evaluator, limit, kDescentHeats, rng);
}

std::unique_ptr<PlacementPolicy> make_annealing(const HostServices& host) {
  return std::make_unique<AnnealingPolicy>(simulations_of(host), kAnnealingHeats);
}

std::unique_ptr<PlacementPolicy> make_local_search(const HostServices& host) {
  const bool earliest = host.config->text("objective") == "mean-finish";
  return std::make_unique<AnnealingPolicy>(simulations_of(host),
                                           earliest ? kEarliestHeats : kLocalHeats);
}

}  // namespace berth::baselines
