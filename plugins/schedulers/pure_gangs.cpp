// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "pure_gangs.hpp"

#include <algorithm>

#include "berth/gpu_ledger.hpp"

namespace berth::schedulers {
namespace {

bool keeps_its_gpus(const RoundContext& context,
                    const PureGang& gang,
                    Stickiness stickiness,
                    const GpuLedger& ledger) {
  const JobState& job = context.jobs[gang.row];
  if (job.gpus.empty() || stickiness == Stickiness::kNever ||
      !(job.ran_last_round || stickiness == Stickiness::kEver)) {
    return false;
  }
  // Ids ascend by type, so the ends decide whether all are of one type.
  return index(context.cluster.type_of(job.gpus.front())) == gang.type &&
         index(context.cluster.type_of(job.gpus.back())) == gang.type && ledger.all_free(job.gpus);
}

}  // namespace

RoundSchedule place_pure_gangs(const RoundContext& context,
                               std::vector<PureGang> gangs,
                               Stickiness stickiness) {
  std::stable_sort(gangs.begin(), gangs.end(), [&](const PureGang& a, const PureGang& b) {
    return context.jobs[a.row].spec->gang > context.jobs[b.row].spec->gang;
  });
  GpuLedger ledger(context.cluster);
  RoundSchedule schedule;
  std::vector<PureGang> moving;
  for (const PureGang& gang : gangs) {
    if (keeps_its_gpus(context, gang, stickiness, ledger)) {
      const JobState& job = context.jobs[gang.row];
      ledger.take(job.gpus);
      schedule.assignments.push_back({job.id, job.gpus});
    } else {
      moving.push_back(gang);
    }
  }
  std::vector<std::uint32_t> counts(context.cluster.num_types(), 0);
  for (const PureGang& gang : moving) {
    const JobState& job = context.jobs[gang.row];
    counts[gang.type] = job.spec->gang;
    std::vector<GpuId> gpus = ledger.take(counts);
    const bool together = on_one_machine(context.cluster, gpus);
    if (gpus.size() == job.spec->gang &&
        gang_rate(*job.spec, counts, together, context.gangs) > 0.0) {
      schedule.assignments.push_back({job.id, std::move(gpus)});
    } else {
      ledger.give_back(gpus);
    }
    counts[gang.type] = 0;
  }
  return schedule;
}

}  // namespace berth::schedulers
