// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "annealing.hpp"

#include <algorithm>
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
  Heat list;
  Heat order;
};

/// Searches from evaluator.best() by moves, at the temperatures given.
void search(Evaluator& evaluator, SearchLimit& limit, const Heats& heats, Rng& rng) {
  const PlacementProblem& problem = evaluator.problem();
  if (!order_counts(problem)) {
    anneal_devices(evaluator, {limit, 0.0, 1.0}, heats.device, kShortest, rng);
    return;
  }
  double begin = 0.0;
  if (order_optional(problem)) {
    anneal_devices(evaluator, {limit, begin, kDevicesUntil}, heats.device, kShortest, rng);
    begin = kDevicesUntil;
  }
  if (DelayDecoder::applies(problem)) {
    anneal_list(evaluator, {limit, begin, kListsUntil}, heats.list, rng);
    begin = kListsUntil;
  }
  anneal_order(evaluator, {limit, begin, 1.0}, heats.order, rng);
}

constexpr Heats kAnnealingHeats{kDeviceHeat, kListHeat, kOrderHeat};
constexpr std::uint64_t kUsualDescent = 8;  ///< Moves an op.

/// True where devices alone are a placement, so that a descent has something to move.
bool may_descend(const PlacementProblem& problem) {
  return !order_counts(problem) || order_optional(problem);
}

/// Moves devices from evaluator.best() so that all ops end earlier in the mean, then anneals.
void descend_first(Evaluator& evaluator, SearchLimit& limit, std::uint64_t moves_per_op, Rng& rng) {
  const PlacementProblem& problem = evaluator.problem();
  const std::uint64_t moves = moves_per_op * problem.graph.num_ops();
  if (moves > 0 && may_descend(problem)) {
    const std::uint64_t left = limit.simulations_left();
    SearchLimit first(evaluator, left > 0 ? std::min(left, moves) : moves);
    anneal_devices(evaluator, {first, 0.0, 1.0}, kDescent, kEarliest, rng);
  }
  if (!limit.reached()) {
    SearchLimit rest(evaluator, limit.simulations_left());
    search(evaluator, rest, kAnnealingHeats, rng);
  }
}

/// Search from the best start.
class AnnealingPolicy final : public PlacementPolicy {
 public:
  AnnealingPolicy(std::uint64_t simulations, std::uint64_t descent, const Heats& heats)
      : simulations_(simulations), descent_(descent), heats_(heats) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) override {
    if (descent_ > 0 && !may_descend(problem)) {
      throw InputError("descent: it moves devices without an order, which discipline " +
                       std::string(name_of(problem.execution.discipline)) +
                       " always has; expected fifo or auto");
    }
    SearchLimit limit(evaluator, simulations_);
    search_start(evaluator);
    if (descent_ == 0) {
      search(evaluator, limit, heats_, rng);
    } else if (!limit.reached()) {
      descend_first(evaluator, limit, descent_, rng);
    }
    return evaluator.best();
  }

 private:
  std::uint64_t simulations_;
  std::uint64_t descent_;
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

void descend_and_anneal(Evaluator& evaluator, std::uint64_t simulations, Rng& rng) {
  SearchLimit limit(evaluator, simulations);
  if (!limit.reached()) {
    descend_first(evaluator, limit, kUsualDescent, rng);
  }
}

std::unique_ptr<PlacementPolicy> make_annealing(const HostServices& host) {
  const auto descent = static_cast<std::uint64_t>(host.config->integer("descent"));
  return std::make_unique<AnnealingPolicy>(simulations_of(host), descent, kAnnealingHeats);
}

std::unique_ptr<PlacementPolicy> make_local_search(const HostServices& host) {
  return std::make_unique<AnnealingPolicy>(
      simulations_of(host), 0, Heats{kNoHeat, kNoHeat, kNoHeat});
}

}  // namespace berth::baselines
