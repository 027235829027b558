// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "random_devices.hpp"

#include "partial_schedule.hpp"
#include "settle.hpp"

namespace berth::baselines {
namespace {

class RandomPolicy final : public PlacementPolicy {
 public:
  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& rng) override {
    return settle(evaluator, or_packed(problem, [&]() -> Placement {
                    return {random_devices(problem, rng), topological_order_values(problem.graph)};
                  }));
  }
};

}  // namespace

std::vector<DeviceId> random_devices(const PlacementProblem& problem, Rng& rng) {
  std::vector<DeviceId> device(problem.graph.num_ops());
  std::vector<double> room = problem.costs.device_memory;
  std::vector<DeviceId> choices;
  for (const OpId op : problem.graph.topological_order()) {
    const double memory = problem.graph.memory_bytes()[index(op)];
    choices.clear();
    for (std::size_t d = 0; d < room.size(); ++d) {
      if (memory <= room[d] && problem.costs.can_run(op, to_id<DeviceId>(d))) {
        choices.push_back(to_id<DeviceId>(d));
      }
    }
    if (choices.empty()) {
      refuse_full("random", problem.graph, op);
    }
    device[index(op)] = choices[rng.below(choices.size())];
    room[index(device[index(op)])] -= memory;
  }
  return device;
}

std::unique_ptr<PlacementPolicy> make_random(const HostServices& /*host*/) {
  return std::make_unique<RandomPolicy>();
}

}  // namespace berth::baselines
