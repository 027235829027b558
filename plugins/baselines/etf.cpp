// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "etf.hpp"

#include <tuple>

#include "constructive.hpp"
#include "infinity.hpp"
#include "ranks.hpp"
#include "ready_set.hpp"

namespace berth::baselines {

PartialSchedule etf_schedule(const PlacementProblem& problem) {
  const std::size_t devices = problem.costs.num_devices;
  const std::vector<double> rank = upward_ranks(problem);
  PartialSchedule schedule(problem);
  ReadySet ready(problem.graph);
  // Data-ready times stay what they are once an op is ready, so they are computed once.
  std::vector<double> data_ready(problem.graph.num_ops() * devices, -1.0);
  std::vector<double> free_at(devices, 0.0);
  while (!ready.empty()) {
    using Key = std::tuple<double, double, OpId, DeviceId>;
    Key best{kInfinity, 0.0, OpId{}, DeviceId{}};
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < ready.ops().size(); ++i) {
      const OpId op = ready.ops()[i];
      for (std::size_t d = 0; d < devices; ++d) {
        const auto device = to_id<DeviceId>(d);
        double& data = data_ready[index(op) * devices + d];
        if (data < 0.0) {
          data = schedule.ready_time(op, device);
        }
        const Key key{std::max(data, free_at[d]), -rank[index(op)], op, device};
        if (key < best && schedule.fits(op, device)) {
          best = key;
          chosen = i;
        }
      }
    }
    const auto [start, negative_rank, op, device] = best;
    if (start == kInfinity) {
      refuse_full("etf", problem.graph, ready.ops().front());
    }
    schedule.assign(op, device, start);
    free_at[index(device)] = start + schedule.compute(op, device);
    ready.take(chosen);
  }
  return schedule;
}

std::unique_ptr<PlacementPolicy> make_etf(const HostServices& /*host*/) {
  return std::make_unique<ConstructivePolicy<etf_schedule>>();
}

}  // namespace berth::baselines
