// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "annealing.hpp"

#include <cmath>

#include "device_moves.hpp"
#include "search_limit.hpp"
#include "search_start.hpp"

namespace berth::baselines {
namespace {

/// Temperatures as shares of the makespan at the start.
constexpr double kHot = 0.02;
constexpr double kCold = 0.0002;

class AnnealingPolicy final : public PlacementPolicy {
 public:
  explicit AnnealingPolicy(std::uint64_t simulations) : simulations_(simulations) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) override {
    SearchLimit limit(evaluator, simulations_);
    const Scored start = search_start(evaluator);
    DeviceMoves moves(problem, start.placement.device);
    const std::vector<double> order =
        order_optional(problem) ? std::vector<double>{} : start.placement.order;
    double current = evaluator(moves.devices(), order);
    while (!limit.reached()) {
      const double temperature = start.makespan * kHot * std::pow(kCold / kHot, limit.used());
      if (!moves.change(rng)) {
        evaluator.count(1);
        continue;
      }
      const double next = evaluator(moves.devices(), order);
      if (next <= current || rng.uniform() < std::exp((current - next) / temperature)) {
        current = next;
        moves.keep();
      } else {
        moves.undo();
      }
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
