// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/cluster_scheduler.hpp"

#include <algorithm>

#include "berth/error.hpp"
#include "berth/gpu_ledger.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

[[noreturn]] void refuse(JobId job, const std::string& what) {
  throw PluginError("round schedule: job " + std::to_string(index(job)) + ": " + what);
}

const JobState& find_job(const RoundContext& context, JobId id) {
  const auto found = std::lower_bound(
      context.jobs.begin(), context.jobs.end(), id, [](const JobState& job, JobId wanted) {
        return index(job.id) < index(wanted);
      });
  if (found == context.jobs.end() || found->id != id) {
    refuse(id, "is assigned but is not an active job; expected one of the jobs shown");
  }
  return *found;
}

void check_gang(const RoundContext& context, const Assignment& assignment, const JobSpec& spec) {
  if (assignment.gpus.size() != spec.gang) {
    refuse(assignment.job,
           "got " + std::to_string(assignment.gpus.size()) + " accelerators; its gang is " +
               std::to_string(spec.gang) + ", all or nothing");
  }
  for (std::size_t i = 0; i < assignment.gpus.size(); ++i) {
    if (index(assignment.gpus[i]) >= context.cluster.num_gpus()) {
      refuse(assignment.job,
             "names accelerator " + std::to_string(index(assignment.gpus[i])) + "; there are " +
                 std::to_string(context.cluster.num_gpus()));
    }
    if (i > 0 && index(assignment.gpus[i - 1]) >= index(assignment.gpus[i])) {
      refuse(assignment.job, "its accelerators are not ascending or repeat; sort them");
    }
  }
}

}  // namespace

ClusterScheduler::~ClusterScheduler() = default;

std::string ClusterScheduler::explain(JobId /*job*/) const {
  return "this scheduler gives no reasons";
}

std::vector<SchedulerFigure> ClusterScheduler::figures() const {
  return {};
}

std::optional<double> ClusterScheduler::lower_bound_seconds(const Cluster& /*cluster*/,
                                                            std::span<const JobSpec> /*jobs*/,
                                                            const GangModel& /*gangs*/) const {
  return std::nullopt;
}

void check_round(const RoundContext& context, const RoundSchedule& schedule) {
  std::vector<std::uint8_t> taken(context.cluster.num_gpus(), 0);
  std::vector<std::uint8_t> named(context.jobs.size(), 0);
  std::vector<std::uint32_t> counts(context.cluster.num_types());
  for (const Assignment& assignment : schedule.assignments) {
    const JobState& job = find_job(context, assignment.job);
    std::uint8_t& twice = named[static_cast<std::size_t>(&job - context.jobs.data())];
    if (twice++ != 0) {
      refuse(assignment.job, "is assigned twice; expected once");
    }
    check_gang(context, assignment, *job.spec);
    for (const GpuId gpu : assignment.gpus) {
      if (taken[index(gpu)]++ != 0) {
        refuse(assignment.job,
               "shares accelerator " + std::to_string(index(gpu)) + " with another job");
      }
    }
    count_types(context.cluster, assignment.gpus, counts);
    if (assignment.runs &&
        !(gang_rate(
              *job.spec, counts, on_one_machine(context.cluster, assignment.gpus), context.gangs) >
          0.0)) {
      refuse(assignment.job, "runs where its throughput is 0; expected a type it can use");
    }
  }
}

}  // namespace abi_v1
}  // namespace berth
