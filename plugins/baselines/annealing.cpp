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

class AnnealingPolicy final : public PlacementPolicy {
 public:
  explicit AnnealingPolicy(std::uint64_t simulations) : simulations_(simulations) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) override {
    SearchLimit limit(evaluator, simulations_);
    static_cast<void>(search_start(evaluator));
    double begin = 0.0;
    if (order_optional(problem)) {
      const double end = order_counts(problem) ? kDeviceShare : 1.0;
      anneal_devices(evaluator, {limit, begin, end}, rng);
      begin = end;
    }
    if (order_counts(problem)) {
      anneal_order(evaluator, {limit, begin, 1.0}, rng);
    }
    return evaluator.best();
  }

 private:
  std::uint64_t simulations_;
};

}  // namespace

std::unique_ptr<PlacementPolicy> make_annealing(const HostServices& host) {
  return std::make_unique<AnnealingPolicy>(
      static_cast<std::uint64_t>(host.config->integer("simulations")));
}

}  // namespace berth::baselines
