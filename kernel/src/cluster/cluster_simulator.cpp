// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/cluster_simulator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "berth/error.hpp"
#include "berth/gpu_ledger.hpp"

#include "presence.hpp"
#include "run_history.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

constexpr std::uint32_t kStalledRounds = 10000;
constexpr std::uint32_t kFailuresThatDrop = 5;  // Gavel

struct Running {
  JobId job{};
  double finish = 0.0;
  double steps = 0.0;
  double rate = 0.0;
  double overhead = 0.0;
  bool mixed = false;
  bool same_gpus = false;
  std::vector<GpuId> gpus;
};

/// What a job's present accelerators mean for it, so that unchanged rounds do not ask again.
struct Held {
  double rate = 0.0;
  bool mixed = false;
  std::uint64_t named_in = 0;  // 1 + the round whose schedule named the job last
};

class Player {
 public:
  Player(const Cluster& cluster,
         std::span<const JobSpec> jobs,
         ClusterScheduler& scheduler,
         const ClusterSimulationOptions& options,
         const RoundObserver& observer)
      : cluster_(cluster),
        jobs_(jobs),
        scheduler_(scheduler),
        options_(options),
        observer_(observer),
        queue_(jobs.size()),
        overhead_left_(jobs.size(), 0.0),
        failures_(jobs.size(), 0),
        history_(options.record_timeline, jobs.size()),
        held_(jobs.size()),
        counts_(cluster.num_types()) {
    for (std::size_t id = 0; id < queue_.size(); ++id) {
      queue_[id] = to_id<JobId>(id);
    }
    std::stable_sort(queue_.begin(), queue_.end(), [this](JobId a, JobId b) {
      return spec(a).arrival_seconds < spec(b).arrival_seconds;
    });
    run_.jobs.resize(jobs.size());
    for (std::size_t id = 0; id < jobs.size(); ++id) {
      run_.jobs[id].arrival_seconds = jobs[id].arrival_seconds;
    }
    run_.busy_seconds.assign(cluster.num_gpus(), 0.0);
    run_.first_arrival_seconds = now_ = spec(queue_.front()).arrival_seconds;
  }

  ClusterRun play() {
    while (arrived_ < queue_.size() || !active_.empty()) {
      arrived_ids_.clear();
      advance_clock();
      account();
      admit();
      // A scheduler hears of every outcome, even when nobody is left to decide about.
      if (!active_.empty() || !outcomes_.empty()) {
        decide();
      }
      check_progress();
    }
    finish_run();
    return std::move(run_);
  }

 private:
  [[nodiscard]] const JobSpec& spec(JobId id) const { return jobs_[index(id)]; }
  [[nodiscard]] JobRecord& record(JobId id) { return run_.jobs[index(id)]; }
  [[nodiscard]] bool queue_empty() const { return arrived_ == queue_.size(); }
  [[nodiscard]] double next_arrival() const {
    return queue_empty() ? std::numeric_limits<double>::infinity()
                         : spec(queue_[arrived_]).arrival_seconds;
  }
  [[nodiscard]] bool cuts_rounds() const {
    return options_.round_end == RoundEnd::kBackfill || options_.round_end == RoundEnd::kEvent;
  }

  std::vector<JobState>::iterator find(JobId id) {
    return std::lower_bound(active_.begin(), active_.end(), id, [](const JobState& job, JobId b) {
      return index(job.id) < index(b);
    });
  }

  void advance_clock() {
    if (!running_.empty()) {
      round_start_ =
          options_.execute_from == ExecuteFrom::kRoundStart ? dispatched_ : previous_end_;
      if (options_.round_end == RoundEnd::kLatestFinish) {
        now_ = std::max_element(running_.begin(), running_.end(), [](const auto& a, const auto& b) {
                 return a.finish < b.finish;
               })->finish;
      } else {
        now_ = period_end_;
      }
      previous_end_ = now_;
    } else if (options_.idle_jumps_to_arrival || active_.empty()) {
      now_ = queue_empty() ? now_ : std::max(now_, next_arrival());
    } else {
      now_ = period_end_;
    }
  }

  void account() {
    for (const JobOutcome& outcome : outcomes_) {
      const auto job = find(outcome.job);
      if (job != active_.end() && job->id == outcome.job) {
        job->ran_last_round = false;
      }
    }
    outcomes_.clear();
    std::sort(running_.begin(), running_.end(), [](const Running& a, const Running& b) {
      return a.finish != b.finish ? a.finish > b.finish : index(a.job) < index(b.job);
    });
    for (Running& ran : running_) {
      account(ran);
    }
    if (!running_.empty()) {
      history_.round_ends(now_);
    }
    running_.clear();
  }

  void account(Running& ran) {
    const auto job = find(ran.job);
    JobOutcome outcome{ran.job, cluster_.type_of(ran.gpus.front()), ran.finish - round_start_};
    job->ran_last_round = true;
    if (!ran.same_gpus) {
      job->gpus = ran.gpus;
    }
    job->last_end_seconds = ran.finish;
    const double least = std::floor(ran.steps / job->spec->gang);
    const bool failed = options_.min_steps_per_worker > 0 &&
                        (least < options_.min_steps_per_worker || outcome.executed_seconds <= 0.0);
    if (failed) {
      outcome.failed = true;
      if (++failures_[index(ran.job)] == kFailuresThatDrop) {
        active_.erase(job);
      }
      outcomes_.push_back(outcome);
      return;
    }
    failures_[index(ran.job)] = 0;
    outcome.steps = ran.steps;
    job->remaining_steps -= ran.steps;
    job->executed_seconds += outcome.executed_seconds;
    progressed_ = progressed_ || ran.steps > 0.0;
    JobRecord& result = record(ran.job);
    result.executed_seconds = job->executed_seconds;
    ++result.rounds;
    result.mixed_rounds += ran.mixed ? 1 : 0;
    for (const GpuId gpu : ran.gpus) {
      run_.busy_seconds[index(gpu)] += outcome.executed_seconds;
    }
    history_.ran(ran.job, dispatched_, ran.finish, ran.same_gpus, std::move(ran.gpus));
    if (job->remaining_steps <= 0.0) {
      outcome.finished = true;
      result.finish_seconds = ran.finish;
      last_finish_ = std::max(last_finish_, ran.finish);
      active_.erase(job);
    }
    outcomes_.push_back(outcome);
  }

  void admit() {
    while (!queue_empty() && next_arrival() <= now_) {
      const JobId id = queue_[arrived_++];
      JobState job;
      job.id = id;
      job.spec = &spec(id);
      job.remaining_steps = spec(id).total_steps;
      active_.insert(find(id), std::move(job));
      arrived_ids_.push_back(id);
    }
  }

  void decide() {
    dispatched_ = now_;
    if (options_.round_end != RoundEnd::kBackfill || now_ >= grid_end_) {
      grid_end_ = now_ + options_.round_seconds;
    }
    const bool whole = grid_end_ == now_ + options_.round_seconds;
    const RoundContext context{cluster_,
                               active_,
                               outcomes_,
                               arrived_ids_,
                               queue_.size() - arrived_,
                               run_.decisions,
                               now_,
                               whole ? options_.round_seconds : grid_end_ - now_,
                               options_.gangs};
    const auto begin = std::chrono::steady_clock::now();
    RoundSchedule schedule = scheduler_.schedule(context);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    run_.scheduler_seconds += took.count();
    run_.scheduler_seconds_max = std::max(run_.scheduler_seconds_max, took.count());
    ++run_.decisions;
    if (!repeats_last_round(schedule)) {
      check_round(context, schedule);
    }
    if (observer_) {
      observer_(context, schedule);
    }
    dispatch(schedule, context.round_seconds);
  }

  /// Whether all that runs ran just so in the round before, where it was found valid.
  [[nodiscard]] bool repeats_last_round(const RoundSchedule& schedule) {
    return std::all_of(
        schedule.assignments.begin(), schedule.assignments.end(), [this](const Assignment& a) {
          const auto job = find(a.job);
          if (job == active_.end() || job->id != a.job || !a.runs || !job->ran_last_round ||
              job->gpus != a.gpus) {
            return false;
          }
          std::uint64_t& named_in = held_[index(a.job)].named_in;
          return std::exchange(named_in, run_.decisions) != run_.decisions;
        });
  }

  void dispatch(RoundSchedule& schedule, double length) {
    double end = now_ + length;
    end = options_.round_end == RoundEnd::kEvent ? std::min(end, next_arrival()) : end;
    for (Assignment& assignment : schedule.assignments) {
      if (!assignment.runs) {
        continue;
      }
      const JobState& job = *find(assignment.job);
      const bool same = job.ran_last_round && job.gpus == assignment.gpus;
      double& overhead = overhead_left_[index(job.id)];
      if (!same) {
        overhead = job.first_start_seconds >= 0.0 ? options_.gangs.restart_seconds : 0.0;
      }
      Held& held = held_[index(job.id)];
      if (!same) {
        count_types(cluster_, assignment.gpus, counts_);
        held.mixed = std::count(counts_.begin(), counts_.end(), 0U) + 1 <
                     static_cast<std::ptrdiff_t>(counts_.size());
        held.rate = gang_rate(
            *job.spec, counts_, on_one_machine(cluster_, assignment.gpus), options_.gangs);
      }
      if (cuts_rounds()) {
        end = std::min(end, now_ + overhead + job.remaining_steps / held.rate);
      }
      running_.push_back(
          {job.id, 0.0, 0.0, held.rate, overhead, held.mixed, same, std::move(assignment.gpus)});
    }
    period_end_ = end;
    for (Running& run : running_) {
      start(run, cuts_rounds() ? end - now_ : length);
    }
    if (!running_.empty()) {
      ++run_.num_rounds;
      note_round();
    }
  }

  void start(Running& run, double length) {
    JobState& job = *find(run.job);
    double steps = run.rate * std::max(0.0, length - run.overhead);
    if (options_.truncate_steps && !cuts_rounds()) {
      steps = std::trunc(steps);
    }
    // A cut round ends exactly where its first job does; rounding must not leave a crumb.
    const bool ends =
        steps >= job.remaining_steps ||
        (cuts_rounds() && job.remaining_steps - steps <= 1e-9 * job.spec->total_steps);
    run.steps = ends ? job.remaining_steps : steps;
    run.finish =
        cuts_rounds() && !ends ? now_ + length : now_ + run.overhead + run.steps / run.rate;
    overhead_left_[index(run.job)] = std::max(0.0, run.overhead - length);
    if (job.first_start_seconds < 0.0) {
      job.first_start_seconds = record(run.job).first_start_seconds = now_;
    } else if (!run.same_gpus) {
      ++job.restarts;
      record(run.job).restarts = job.restarts;
    }
  }

  void note_round() {
    std::size_t busy = 0;
    for (const Running& run : running_) {
      busy += run.gpus.size();
    }
    history_.round_begins({now_,
                           now_,
                           static_cast<std::uint32_t>(active_.size()),
                           static_cast<std::uint32_t>(running_.size()),
                           static_cast<std::uint32_t>(busy)});
  }

  void check_progress() {
    stalled_ = progressed_ || !arrived_ids_.empty() || !queue_empty() ? 0 : stalled_ + 1;
    progressed_ = false;
    if (stalled_ >= kStalledRounds && !active_.empty()) {
      const JobState& job = active_.front();
      throw RunError("cluster simulation: no job made a step for " +
                     std::to_string(kStalledRounds) + " rounds; job " +
                     std::to_string(index(job.id)) + " (" + job.spec->name + ") waits for " +
                     std::to_string(job.spec->gang) +
                     " accelerators; expected the scheduler to start it, or a round long enough "
                     "for one step");
    }
  }

  void finish_run() {
    run_.end_seconds = options_.round_end == RoundEnd::kLatestFinish ? now_ : last_finish_;
    const double from = options_.utilisation_from == UtilisationFrom::kFirstArrival
                            ? run_.first_arrival_seconds
                            : 0.0;
    const double elapsed = run_.end_seconds - from;
    double sum = 0.0;
    for (const double busy : run_.busy_seconds) {
      sum += elapsed > 0.0 ? busy / elapsed : 0.0;
    }
    run_.utilisation = sum / static_cast<double>(cluster_.num_gpus());
    internal::fill_mean_jobs_present(run_.jobs);
    history_.store(run_);
  }

  const Cluster& cluster_;
  std::span<const JobSpec> jobs_;
  ClusterScheduler& scheduler_;
  const ClusterSimulationOptions& options_;
  const RoundObserver& observer_;

  std::vector<JobId> queue_;  // by arrival, then id
  std::size_t arrived_ = 0;   // of the queue
  std::vector<JobState> active_;
  std::vector<Running> running_;
  std::vector<JobOutcome> outcomes_;
  std::vector<JobId> arrived_ids_;
  std::vector<double> overhead_left_;    // [num_jobs]
  std::vector<std::uint32_t> failures_;  // [num_jobs], in a row
  internal::RunHistory history_;
  std::vector<Held> held_;  // [num_jobs]
  std::vector<std::uint32_t> counts_;
  ClusterRun run_;

  double now_ = 0.0;
  double dispatched_ = 0.0;    // when the running round began
  double period_end_ = 0.0;    // when it ends, unless its latest finish decides
  double grid_end_ = 0.0;      // end of the whole round that kBackfill cuts
  double previous_end_ = 0.0;  // 0 before the first round ends, as in Gavel
  double round_start_ = 0.0;   // from where execution is counted
  double last_finish_ = 0.0;
  bool progressed_ = false;
  std::uint32_t stalled_ = 0;
};

}  // namespace

ClusterRun simulate_cluster(const Cluster& cluster,
                            std::span<const JobSpec> jobs,
                            ClusterScheduler& scheduler,
                            const ClusterSimulationOptions& options,
                            const RoundObserver& observer) {
  check_jobs(cluster, jobs);
  if (!(options.round_seconds > 0.0) || !std::isfinite(options.round_seconds) ||
      !(options.gangs.restart_seconds >= 0.0) || !std::isfinite(options.gangs.restart_seconds)) {
    throw InputError("cluster simulation: round of " + std::to_string(options.round_seconds) +
                     " s with restarts of " + std::to_string(options.gangs.restart_seconds) +
                     " s; expected a round > 0 and restarts >= 0");
  }
  return Player(cluster, jobs, scheduler, options, observer).play();
}

}  // namespace abi_v1
}  // namespace berth
