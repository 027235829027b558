// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/forked_simulator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "presence.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

constexpr std::uint32_t kStalledSlots = 10000;

class ForkedPlayer {
 public:
  ForkedPlayer(const Cluster& nodes,
               std::span<const JobSpec> jobs,
               ClusterScheduler& scheduler,
               const ForkedSimulationOptions& options,
               const RoundObserver& observer)
      : nodes_(nodes),
        jobs_(jobs),
        scheduler_(scheduler),
        options_(options),
        observer_(observer),
        last_job_(nodes.num_gpus(), -1) {
    for (std::size_t id = 0; id < jobs.size(); ++id) {
      queue_.push_back(to_id<JobId>(id));
    }
    std::stable_sort(queue_.begin(), queue_.end(), [&](JobId a, JobId b) {
      return jobs_[index(a)].arrival_seconds < jobs_[index(b)].arrival_seconds;
    });
    run_.jobs.resize(jobs.size());
    for (std::size_t id = 0; id < jobs.size(); ++id) {
      run_.jobs[id].arrival_seconds = jobs[id].arrival_seconds;
    }
    run_.busy_seconds.assign(nodes.num_gpus(), 0.0);
    run_.first_arrival_seconds = now_ = jobs[index(queue_.front())].arrival_seconds;
  }

  ClusterRun play() {
    std::uint32_t stalled = 0;
    while (arrived_ < queue_.size() || !active_.empty()) {
      if (active_.empty()) {
        now_ = std::max(now_, jobs_[index(queue_[arrived_])].arrival_seconds);
      }
      admit();
      const bool progressed = slot();
      stalled = progressed || arrived_ < queue_.size() ? 0 : stalled + 1;
      if (stalled == kStalledSlots) {
        throw RunError("forked simulation: no copy made a step for " +
                       std::to_string(kStalledSlots) +
                       " slots; expected the scheduler to start jobs, or longer slots");
      }
      now_ += options_.slot_seconds;
    }
    const double elapsed = run_.end_seconds - run_.first_arrival_seconds;
    for (const double busy : run_.busy_seconds) {
      run_.utilisation += busy / elapsed / static_cast<double>(nodes_.num_gpus());
    }
    internal::fill_mean_jobs_present(run_.jobs);
    return std::move(run_);
  }

 private:
  void admit() {
    arrived_now_.clear();
    while (arrived_ < queue_.size() && jobs_[index(queue_[arrived_])].arrival_seconds <= now_) {
      JobState job;
      job.id = queue_[arrived_++];
      job.spec = &jobs_[index(job.id)];
      job.remaining_steps = job.spec->total_steps;
      arrived_now_.push_back(job.id);
      active_.push_back(std::move(job));
    }
    std::sort(active_.begin(), active_.end(), [](const JobState& a, const JobState& b) {
      return index(a.id) < index(b.id);
    });
  }

  /// Plays one slot; false if no step was made.
  bool slot() {
    const RoundContext context{nodes_,
                               active_,
                               {},
                               arrived_now_,
                               queue_.size() - arrived_,
                               run_.decisions,
                               now_,
                               options_.slot_seconds,
                               {MixRule::kOff, false, options_.restart_seconds}};
    const auto begin = std::chrono::steady_clock::now();
    const RoundSchedule schedule = scheduler_.schedule(context);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    run_.scheduler_seconds += took.count();
    run_.scheduler_seconds_max = std::max(run_.scheduler_seconds_max, took.count());
    ++run_.decisions;
    std::map<JobId, std::vector<GpuId>> copies;
    std::vector<std::uint8_t> taken(nodes_.num_gpus(), 0);
    for (const Assignment& assignment : schedule.assignments) {
      check(assignment, taken);
      copies[assignment.job].push_back(assignment.gpus.front());
    }
    if (observer_) {
      observer_(context, schedule);
    }
    run_.num_rounds += copies.empty() ? 0 : 1;
    bool progressed = false;
    for (const auto& [job, gpus] : copies) {
      progressed = train(job, gpus) || progressed;
    }
    active_.erase(std::remove_if(active_.begin(),
                                 active_.end(),
                                 [](const JobState& job) { return job.remaining_steps <= 0.0; }),
                  active_.end());
    return progressed;
  }

  void check(const Assignment& assignment, std::vector<std::uint8_t>& taken) const {
    const auto refuse = [&](const std::string& what) {
      throw PluginError("forked slot: job " + std::to_string(index(assignment.job)) + ": " + what);
    };
    if (std::none_of(active_.begin(), active_.end(), [&](const JobState& job) {
          return job.id == assignment.job;
        })) {
      refuse("is not an active job; expected one of the jobs shown");
    }
    if (assignment.gpus.size() != 1 || index(assignment.gpus.front()) >= nodes_.num_gpus()) {
      refuse("a copy needs one existing node; name the job once per node");
    }
    const GpuId node = assignment.gpus.front();
    if (taken[index(node)]++ != 0) {
      refuse("shares node " + std::to_string(index(node)) + " with another copy");
    }
    if (!(jobs_[index(assignment.job)].rates[index(nodes_.type_of(node))] > 0.0)) {
      refuse("has a copy on a node where its throughput is 0");
    }
  }

  bool train(JobId id, const std::vector<GpuId>& gpus) {
    JobState& job = *std::find_if(
        active_.begin(), active_.end(), [id](const JobState& state) { return state.id == id; });
    JobRecord& record = run_.jobs[index(id)];
    std::vector<ForkedCopy> copies;
    for (const GpuId gpu : gpus) {
      const std::int64_t last = last_job_[index(gpu)];
      const bool moves = last >= 0 && last != static_cast<std::int64_t>(index(id));
      record.restarts += moves ? 1 : 0;
      copies.push_back({job.spec->rates[index(nodes_.type_of(gpu))],
                        (moves ? options_.restart_seconds : 0.0) +
                            (gpus.size() > 1 ? options_.aggregation_seconds : 0.0)});
    }
    const auto remaining = static_cast<std::uint64_t>(job.remaining_steps);
    const ForkedSlot plan = divide_slot(copies, remaining, options_.slot_seconds);
    double done = 0.0;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      last_job_[index(gpus[i])] = static_cast<std::int64_t>(index(id));
      run_.busy_seconds[index(gpus[i])] +=
          plan.steps[i] == 0 && plan.finishes ? 0.0 : plan.end_seconds;
      done += lost(id, gpus[i]) ? 0.0 : static_cast<double>(plan.steps[i]);
    }
    if (job.first_start_seconds < 0.0) {
      job.first_start_seconds = record.first_start_seconds = now_;
    }
    job.remaining_steps -= done;
    job.executed_seconds += plan.end_seconds;
    job.gpus = gpus;
    job.ran_last_round = true;
    record.executed_seconds = job.executed_seconds;
    ++record.rounds;
    if (job.remaining_steps <= 0.0) {
      record.finish_seconds = now_ + plan.end_seconds;
      run_.end_seconds = std::max(run_.end_seconds, record.finish_seconds);
    }
    return done > 0.0;
  }

  [[nodiscard]] bool lost(JobId job, GpuId node) const {
    return options_.lost_copy_share > 0.0 &&
           Rng(options_.seed, {run_.decisions, index(job), index(node)}).uniform() <
               options_.lost_copy_share;
  }

  const Cluster& nodes_;
  std::span<const JobSpec> jobs_;
  ClusterScheduler& scheduler_;
  const ForkedSimulationOptions& options_;
  const RoundObserver& observer_;
  std::vector<std::int64_t> last_job_;  // [num_nodes], -1: none yet
  std::vector<JobId> queue_;            // by arrival, then id
  std::size_t arrived_ = 0;
  std::vector<JobId> arrived_now_;
  std::vector<JobState> active_;
  ClusterRun run_;
  double now_ = 0.0;
};

}  // namespace

ClusterRun simulate_forked(const Cluster& nodes,
                           std::span<const JobSpec> jobs,
                           ClusterScheduler& scheduler,
                           const ForkedSimulationOptions& options,
                           const RoundObserver& observer) {
  check_jobs(nodes, jobs);
  if (nodes.largest_machine() != 1) {
    throw InputError("forked simulation: a machine has " + std::to_string(nodes.largest_machine()) +
                     " accelerators; expected nodes of one, e.g. v100:1,p100:2,k80:2");
  }
  for (std::size_t id = 0; id < jobs.size(); ++id) {
    if (jobs[id].gang != 1 || jobs[id].total_steps != std::floor(jobs[id].total_steps)) {
      throw InputError("forked simulation: job " + std::to_string(id) + " (" + jobs[id].name +
                       ") has a gang of " + std::to_string(jobs[id].gang) + " and " +
                       std::to_string(jobs[id].total_steps) +
                       " steps; expected a gang of 1 and whole steps");
    }
  }
  if (!(options.slot_seconds > 0.0) || !(options.restart_seconds >= 0.0) ||
      !(options.aggregation_seconds >= 0.0) || !(options.lost_copy_share >= 0.0) ||
      !(options.lost_copy_share < 1.0)) {
    throw InputError(
        "forked simulation: expected a slot > 0, costs >= 0 and a "
        "share of lost "
        "copies from 0 to below 1");
  }
  return ForkedPlayer(nodes, jobs, scheduler, options, observer).play();
}

}  // namespace abi_v1
}  // namespace berth
