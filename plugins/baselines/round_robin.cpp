// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "round_robin.hpp"

#include "partial_schedule.hpp"
#include "settle.hpp"

namespace berth::baselines {
namespace {

class RoundRobinPolicy final : public PlacementPolicy {
 public:
  explicit RoundRobinPolicy(bool by_id) : by_id_(by_id) {}

  Placement place(const PlacementProblem& problem, Evaluator& evaluator, Rng& /*rng*/) override {
    return settle(evaluator, or_packed(problem, [&] { return deal(problem); }));
  }

 private:
  [[nodiscard]] Placement deal(const PlacementProblem& problem) const {
    const auto kahn = problem.graph.topological_order();
    const std::size_t devices = problem.costs.num_devices;
    std::vector<DeviceId> device(problem.graph.num_ops());
    std::vector<double> room = problem.costs.device_memory;
    for (std::size_t i = 0; i < device.size(); ++i) {
      const OpId op = by_id_ ? to_id<OpId>(i) : kahn[i];
      const double memory = problem.graph.memory_bytes()[index(op)];
      std::size_t tried = 0;
      while (tried < devices &&
             (memory > room[(i + tried) % devices] ||
              !problem.costs.can_run(op, to_id<DeviceId>((i + tried) % devices)))) {
        ++tried;
      }
      if (tried == devices) {
        refuse_full("round-robin", problem.graph, op);
      }
      device[index(op)] = to_id<DeviceId>((i + tried) % devices);
      room[(i + tried) % devices] -= memory;
    }
    return {std::move(device), topological_order_values(problem.graph)};
  }

  bool by_id_;
};

}  // namespace

std::unique_ptr<PlacementPolicy> make_round_robin(const HostServices& host) {
  return std::make_unique<RoundRobinPolicy>(host.config->text("order") == "id");
}

}  // namespace berth::baselines
