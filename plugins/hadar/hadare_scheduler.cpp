// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "hadare_scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "share_program.hpp"

namespace berth::hadar {
namespace {

/// The copies that a job has got in this slot.
struct Team {
  const JobState* job = nullptr;
  double rate = 0.0;
  std::vector<GpuId> nodes;

  [[nodiscard]] double seconds_to_go(double rate_now) const {
    return job->remaining_steps / rate_now;
  }
};

class SlotPlanner {
 public:
  SlotPlanner(const RoundContext& context, std::size_t most_copies)
      : context_(context),
        most_copies_(most_copies == 0 ? context.cluster.num_gpus() : most_copies),
        free_(context.cluster.num_gpus(), 1) {
    for (const JobState& job : context.jobs) {
      teams_.push_back({&job, 0.0, {}});
    }
    const auto best = [&](const Team& team) {
      return *std::max_element(team.job->spec->rates.begin(), team.job->spec->rates.end());
    };
    std::stable_sort(teams_.begin(), teams_.end(), [&](const Team& a, const Team& b) {
      return a.seconds_to_go(best(a)) < b.seconds_to_go(best(b));
    });
  }

  [[nodiscard]] const std::vector<Team>& teams() const noexcept { return teams_; }

  RoundSchedule plan() {
    for (Team& team : teams_) {
      (void)join_fastest(team);
    }
    while (help_the_last()) {
    }
    RoundSchedule schedule;
    for (const Team& team : teams_) {
      for (const GpuId node : team.nodes) {
        schedule.assignments.push_back({team.job->id, {node}});
      }
    }
    return schedule;
  }

 private:
  [[nodiscard]] double rate_on(const Team& team, std::size_t node) const {
    return team.job->spec->rates[index(context_.cluster.type_of(to_id<GpuId>(node)))];
  }

  /// Gives the fastest free node; its last one among equals, which saves a
  /// restart.
  bool join_fastest(Team& team) {
    if (team.nodes.size() >= most_copies_) {
      return false;
    }
    std::size_t best = free_.size();
    const auto was_there = [&](std::size_t node) {
      return std::count(team.job->gpus.begin(), team.job->gpus.end(), to_id<GpuId>(node)) > 0;
    };
    for (std::size_t node = 0; node < free_.size(); ++node) {
      if (free_[node] == 0 || !(rate_on(team, node) > 0.0)) {
        continue;
      }
      const bool better =
          best == free_.size() || rate_on(team, node) > rate_on(team, best) ||
          (rate_on(team, node) == rate_on(team, best) && was_there(node) && !was_there(best));
      best = better ? node : best;
    }
    if (best == free_.size()) {
      return false;
    }
    free_[best] = 0;
    team.nodes.push_back(to_id<GpuId>(best));
    team.rate += rate_on(team, best);
    return true;
  }

  bool help_the_last() {
    std::vector<Team*> by_end;
    for (Team& team : teams_) {
      if (team.rate > 0.0) {
        by_end.push_back(&team);
      }
    }
    std::stable_sort(by_end.begin(), by_end.end(), [](const Team* a, const Team* b) {
      return a->seconds_to_go(a->rate) > b->seconds_to_go(b->rate);
    });
    return std::any_of(
        by_end.begin(), by_end.end(), [this](Team* team) { return join_fastest(*team); });
  }

  const RoundContext& context_;
  std::size_t most_copies_;
  std::vector<std::uint8_t> free_;  // [num_nodes]
  std::vector<Team> teams_;         // shortest first
};

}  // namespace

RoundSchedule HadareScheduler::schedule(const RoundContext& context) {
  SlotPlanner planner(context, most_copies_);
  RoundSchedule schedule = planner.plan();
  last_.clear();
  for (const Team& team : planner.teams()) {
    last_.push_back({team.job->id, team.nodes.size(), team.rate, team.job->remaining_steps});
  }
  return schedule;
}

std::string HadareScheduler::explain(JobId job) const {
  const auto at =
      std::find_if(last_.begin(), last_.end(), [job](const Served& s) { return s.job == job; });
  if (at == last_.end()) {
    return "not an active job of the last slot";
  }
  const std::string place = "number " + std::to_string(at - last_.begin() + 1) + " of " +
                            std::to_string(last_.size()) + ", shortest first; ";
  if (at->copies == 0) {
    return place + "shorter jobs left no node that can run it";
  }
  char text[128];
  std::snprintf(text,
                sizeof text,
                "%zu %s at %.4g steps/s together, %.4g s still to go at this rate",
                at->copies,
                at->copies == 1 ? "copy" : "copies",
                at->rate,
                at->remaining_steps / at->rate);
  return place + text;
}

std::optional<double> HadareScheduler::lower_bound_seconds(const Cluster& nodes,
                                                           std::span<const JobSpec> jobs,
                                                           const GangModel& /*gangs*/) const {
  std::vector<schedulers::ShareRow> rows;
  std::vector<double> steps;
  double first_arrival = std::numeric_limits<double>::infinity();
  for (const JobSpec& job : jobs) {
    first_arrival = std::min(first_arrival, job.arrival_seconds);
  }
  double alone = 0.0;
  for (const JobSpec& job : jobs) {
    double all_nodes = 0.0;
    for (std::size_t t = 0; t < nodes.num_types(); ++t) {
      all_nodes += nodes.capacity(to_id<GpuTypeId>(t)) * job.rates[t];
    }
    alone = std::max(alone, job.arrival_seconds - first_arrival + job.total_steps / all_nodes);
    rows.push_back({job.rates, 1.0, 1.0, static_cast<double>(nodes.num_gpus())});
    steps.push_back(job.total_steps);
  }
  schedulers::BalancedShares shares(nodes, rows);
  (void)shares.solve(steps);
  return std::max(alone, 1.0 / shares.dual_bound());
}

std::unique_ptr<ClusterScheduler> make_hadare(const HostServices& host) {
  return std::make_unique<HadareScheduler>(
      static_cast<std::size_t>(host.config->integer("copies")));
}

}  // namespace berth::hadar
