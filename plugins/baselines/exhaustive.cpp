// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "exhaustive.hpp"

#include <algorithm>

#include "annealing_search.hpp"
#include "branch_and_bound.hpp"
#include "delay_decoder.hpp"
#include "device_enumeration.hpp"
#include "search_limit.hpp"
#include "search_start.hpp"
#include "settle.hpp"

namespace berth::baselines {
namespace {

/// Simulations for each op that go into a good incumbent before the search.
constexpr std::uint64_t kIncumbentSimulations = 500;

class ExhaustivePolicy final : public PlacementPolicy {
 public:
  ExhaustivePolicy(Logger& logger, double seconds) : logger_(&logger), seconds_(seconds) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) override {
    const double begin = evaluator.elapsed_seconds();
    const auto stop = [&] {
      return evaluator.exhausted() ||
             (seconds_ > 0.0 && evaluator.elapsed_seconds() - begin >= seconds_);
    };
    search_start(evaluator);
    SearchLimit limit(evaluator, kIncumbentSimulations * problem.graph.num_ops() + 1);
    if (order_counts(problem)) {
      anneal_order(evaluator, {limit, 0.0, 1.0}, kOrderHeat, rng);
    } else {
      anneal_devices(evaluator, {limit, 0.0, 1.0}, kDeviceHeat, kShortest, rng);
    }
    const bool proved = !stop() && search(problem, evaluator, stop);
    if (proved) {
      evaluator.prove(evaluator.best_makespan());
    } else if (evaluator.best_makespan() > evaluator.lower_bound()) {
      logger_->warning("exhaustive: not proved optimal",
                       {{"problem", problem.name},
                        {"makespan", evaluator.best_makespan()},
                        {"lower_bound", evaluator.lower_bound()}});
    }
    return evaluator.best();
  }

 private:
  /// True if the search was completed and covers all that counts.
  template <class Stop>
  static bool search(const PlacementProblem& problem, Evaluator& evaluator, const Stop& stop) {
    if (DelayDecoder::applies(problem)) {
      BranchAndBound search(problem);
      return search.run(
          evaluator.best_makespan(),
          [&](std::uint64_t nodes) {
            // A node, much less than a simulation, counts as one; they come in batches.
            evaluator.count(std::min(nodes, simulations_left(evaluator)));
            return stop();
          },
          [&](const Placement& placement, double /*makespan*/) {
            if (simulations_left(evaluator) > 0) {
              static_cast<void>(evaluator(placement));
            }
          });
    }
    if (!order_optional(problem)) {
      return false;
    }
    DeviceEnumeration enumeration(evaluator);
    const ExecutionOptions& execution = problem.execution;
    const bool noisy = execution.compute_noise > 0.0 || execution.transfer_noise > 0.0;
    return enumeration.run(stop) && !order_counts(problem) && !noisy;
  }

  Logger* logger_;
  double seconds_;
};

}  // namespace

std::unique_ptr<PlacementPolicy> make_exhaustive(const HostServices& host) {
  return std::make_unique<ExhaustivePolicy>(*host.logger, host.config->real("seconds"));
}

}  // namespace berth::baselines
