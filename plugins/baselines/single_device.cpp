// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "single_device.hpp"

#include <limits>
#include <numeric>

#include "berth/error.hpp"

#include "settle.hpp"

namespace berth::baselines {
namespace {

class SingleDevicePolicy final : public PlacementPolicy {
 public:
  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& /*rng*/) override {
    const std::optional<DeviceId> device = best_single_device(problem);
    if (!device) {
      throw SolverError("single-device: no device can run and hold every op of '" +
                        problem.graph.name() + "'");
    }
    return settle(evaluator,
                  {std::vector<DeviceId>(problem.graph.num_ops(), *device),
                   topological_order_values(problem.graph)});
  }
};

}  // namespace

std::optional<DeviceId> best_single_device(const PlacementProblem& problem) {
  const auto memory = problem.graph.memory_bytes();
  const double needed = std::accumulate(memory.begin(), memory.end(), 0.0);
  std::optional<DeviceId> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < problem.costs.num_devices; ++d) {
    const auto device = to_id<DeviceId>(d);
    double total = 0.0;
    for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
      total += problem.costs.compute(to_id<OpId>(v), device);
    }
    if (total < least && needed <= problem.costs.device_memory[d]) {
      least = total;
      best = device;
    }
  }
  return best;
}

std::unique_ptr<PlacementPolicy> make_single_device(const HostServices& /*host*/) {
  return std::make_unique<SingleDevicePolicy>();
}

}  // namespace berth::baselines
