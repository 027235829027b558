// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "annealing.hpp"

#include "annealing_search.hpp"
#include "delay_decoder.hpp"
#include "search_start.hpp"

namespace berth::baselines {
namespace {

/// Share of the limit that goes to devices alone where both ways count.
constexpr double kDeviceShare = 0.25;

/// Search from the best start by moves, at the temperatures given.
class AnnealingPolicy final : public PlacementPolicy {
 public:
  AnnealingPolicy(std::uint64_t simulations, const Heat& devices, const Heat& order)
      : simulations_(simulations), device_heat_(devices), order_heat_(order) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) override {
    SearchLimit limit(evaluator, simulations_);
    static_cast<void>(search_start(evaluator));
    double begin = 0.0;
    if (order_optional(problem)) {
      const double end = order_counts(problem) ? kDeviceShare : 1.0;
      anneal_devices(evaluator, {limit, begin, end}, device_heat_, rng);
      begin = end;
    }
    if (order_counts(problem)) {
      anneal_order(evaluator, {limit, begin, 1.0}, order_heat_, rng);
    }
    return evaluator.best();
  }

 private:
  std::uint64_t simulations_;
  Heat device_heat_;
  Heat order_heat_;
};

std::uint64_t simulations_of(const HostServices& host) {
  return static_cast<std::uint64_t>(host.config->integer("simulations"));
}

}  // namespace

std::unique_ptr<PlacementPolicy> make_annealing(const HostServices& host) {
  return std::make_unique<AnnealingPolicy>(simulations_of(host), kDeviceHeat, kOrderHeat);
}

std::unique_ptr<PlacementPolicy> make_local_search(const HostServices& host) {
  return std::make_unique<AnnealingPolicy>(simulations_of(host), kNoHeat, kNoHeat);
}

}  // namespace berth::baselines
