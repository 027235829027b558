// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "heft.hpp"

#include <limits>

#include "constructive.hpp"
#include "ranks.hpp"

namespace berth::baselines {

PartialSchedule heft_schedule(const PlacementProblem& problem) {
  PartialSchedule schedule(problem);
  for (const OpId op : by_descending_rank(problem.graph, upward_ranks(problem))) {
    double best_finish = std::numeric_limits<double>::infinity();
    double best_start = 0.0;
    DeviceId best{};
    for (std::size_t d = 0; d < problem.costs.num_devices; ++d) {
      const auto device = to_id<DeviceId>(d);
      if (!schedule.fits(op, device)) {
        continue;
      }
      const double start = schedule.earliest_start(op, device, Gaps::kInsert);
      const double finish = start + schedule.compute(op, device);
      if (finish < best_finish) {
        best_finish = finish;
        best_start = start;
        best = device;
      }
    }
    if (best_finish == std::numeric_limits<double>::infinity()) {
      refuse_full("heft", problem.graph, op);
    }
    schedule.assign(op, best, best_start);
  }
  return schedule;
}

std::unique_ptr<PlacementPolicy> make_heft(const HostServices& /*host*/) {
  return std::make_unique<ConstructivePolicy<heft_schedule>>();
}

}  // namespace berth::baselines
