// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "job_tracker.hpp"

#include <algorithm>
#include <cmath>

#include "berth/error.hpp"
#include "berth/forked_simulator.hpp"

namespace berth::launcher {
namespace {

constexpr std::uint32_t kMostFailedRounds = 3;
constexpr double kMemory = 0.5;  // of a rate; Gavel's constant

Cluster cluster_of(const Mix& mix, std::size_t present) {
  std::vector<std::string> types;
  std::vector<Machine> machines;
  for (std::size_t i = 0; i < present; ++i) {
    Machine machine{mix.nodes[i].name, std::vector<std::uint32_t>(present, 0)};
    machine.gpus[i] = 1;
    types.push_back(machine.name);
    machines.push_back(std::move(machine));
  }
  return {std::move(types), std::move(machines)};
}

double blend(double before, double now) {
  return before > 0.0 ? kMemory * before + (1.0 - kMemory) * now : now;
}

}  // namespace

JobTracker::JobTracker(const Mix& mix, std::vector<JobFacts> facts, std::size_t present)
    : mix_(&mix),
      present_(present),
      cluster_(cluster_of(mix, present)),
      last_job_(mix.nodes.size(), -1),
      busy_(mix.nodes.size(), 0.0) {
  for (std::size_t id = 0; id < facts.size(); ++id) {
    TrackedJob job;
    job.name = mix.jobs[id].name;
    job.remaining = facts[id].steps;
    job.facts = std::move(facts[id]);
    job.rates.assign(mix.nodes.size(), 0.0);
    job.estimates.assign(mix.nodes.size(), 0.0);
    job.measured.assign(mix.nodes.size(), 0);
    jobs_.push_back(std::move(job));
  }
  estimate_rates();
}

bool JobTracker::is_done() const {
  return std::ranges::all_of(jobs_, [](const TrackedJob& job) { return job.remaining == 0; });
}

void JobTracker::estimate_rates() {
  std::vector<RateSample> samples;
  for (const TrackedJob& job : jobs_) {
    for (std::size_t node = 0; node < job.rates.size(); ++node) {
      if (job.measured[node] > 0) {
        samples.push_back({&mix_->nodes[node], job.facts.size, job.rates[node]});
      }
    }
  }
  RateEstimate estimate;
  estimate.fit(samples);
  for (TrackedJob& job : jobs_) {
    for (std::size_t node = 0; node < job.rates.size(); ++node) {
      if (job.measured[node] == 0) {
        job.rates[node] = job.estimates[node] = estimate(mix_->nodes[node], job.facts.size);
      }
    }
  }
}

std::vector<JobSpec> JobTracker::specs() const {
  std::vector<JobSpec> specs;
  for (const TrackedJob& job : jobs_) {
    JobSpec spec;
    spec.name = job.name;
    spec.total_steps = static_cast<double>(job.facts.steps);
    spec.rates.assign(job.rates.begin(), job.rates.begin() + static_cast<std::ptrdiff_t>(present_));
    spec.spread_rates = spec.rates;
    specs.push_back(std::move(spec));
  }
  return specs;
}

double JobTracker::slot_seconds(std::uint32_t job) const {
  if (!mix_->is_step_counted()) {
    return mix_->options.real("slot_seconds");
  }
  const auto& rates = jobs_[job].rates;
  const double fastest =
      *std::max_element(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(present_));
  // Rounded up a little, so that the fastest node makes exactly slot_steps.
  return static_cast<double>(mix_->options.integer("slot_steps")) / fastest * (1.0 + 1e-12);
}

std::vector<JobOutcome> JobTracker::last_outcomes() const {
  std::vector<JobOutcome> outcomes;
  for (auto copy = copies_.rbegin(); copy != copies_.rend() && copy->round + 1 == round_; ++copy) {
    if (copy->node >= present_) {
      continue;
    }
    const JobId job = to_id<JobId>(copy->job);
    const auto known = std::ranges::find(outcomes, job, &JobOutcome::job);
    const auto at = static_cast<std::size_t>(known - outcomes.begin());
    if (known == outcomes.end()) {
      outcomes.push_back({job, cluster_.type_of(to_id<GpuId>(copy->node))});
      outcomes.back().finished = jobs_[copy->job].remaining == 0;
      outcomes.back().failed = jobs_[copy->job].failed_rounds > 0;
    }
    outcomes[at].steps += static_cast<double>(copy->steps);
    outcomes[at].executed_seconds = std::max(outcomes[at].executed_seconds, copy->seconds);
  }
  std::ranges::sort(outcomes, [](const JobOutcome& a, const JobOutcome& b) {
    return a.executed_seconds != b.executed_seconds ? a.executed_seconds > b.executed_seconds
                                                    : a.job < b.job;
  });
  return outcomes;
}

std::vector<JobTracker::Team> JobTracker::decide(ClusterScheduler& scheduler) {
  const std::vector<JobSpec> specs = this->specs();
  std::vector<JobState> states;
  std::vector<JobId> arrived;
  double longest = 0.0;
  for (std::uint32_t id = 0; id < jobs_.size(); ++id) {
    const TrackedJob& job = jobs_[id];
    if (job.remaining == 0) {
      continue;
    }
    JobState state;
    state.id = to_id<JobId>(id);
    state.spec = &specs[id];
    state.remaining_steps = static_cast<double>(job.remaining);
    state.executed_seconds = job.executed_seconds;
    state.first_start_seconds = job.first_start_seconds;
    state.last_end_seconds = job.ran_last_round ? clock_ : -1.0;
    state.restarts = job.restarts;
    state.ran_last_round = job.ran_last_round;
    for (const std::uint32_t node : job.last_nodes) {
      if (node < present_) {
        state.gpus.push_back(to_id<GpuId>(node));
      }
    }
    state.ran_last_round = state.ran_last_round && !state.gpus.empty();
    states.push_back(std::move(state));
    if (round_ == 0) {
      arrived.push_back(to_id<JobId>(id));
    }
    longest = std::max(longest, slot_seconds(id));
  }
  const std::vector<JobOutcome> outcomes = last_outcomes();
  const RoundContext context{
      cluster_, states, outcomes, arrived, 0, round_, clock_, longest, {MixRule::kOff, false, 0.0}};
  const RoundSchedule schedule = scheduler.schedule(context);
  std::vector<Team> teams(jobs_.size());
  std::vector<std::uint8_t> taken(present_, 0);
  for (const Assignment& assignment : schedule.assignments) {
    const std::size_t id = index(assignment.job);
    const bool one_node = assignment.gpus.size() == 1 && index(assignment.gpus[0]) < present_;
    if (id >= jobs_.size() || jobs_[id].remaining == 0 || !one_node ||
        taken[index(assignment.gpus[0])]++ != 0) {
      throw PluginError("round " + std::to_string(round_) + ": the scheduler gave job " +
                        std::to_string(id) +
                        " no free node of its own; expected unfinished jobs, once per free node");
    }
    if (assignment.runs) {
      teams[id].job = static_cast<std::uint32_t>(id);
      teams[id].nodes.push_back(static_cast<std::uint32_t>(index(assignment.gpus[0])));
    }
  }
  std::erase_if(teams, [](const Team& team) { return team.nodes.empty(); });
  if (teams.empty()) {
    throw RunError("round " + std::to_string(round_) +
                   ": the scheduler starts no job on idle nodes; expected one at least");
  }
  for (Team& team : teams) {
    std::ranges::sort(team.nodes);
  }
  return teams;
}

SlotOrders JobTracker::plan(ClusterScheduler& scheduler) {
  teams_ = decide(scheduler);
  SlotOrders orders;
  orders.round = round_;
  orders.nodes.resize(present_);
  for (const Team& team : teams_) {
    divide(team, orders);
  }
  return orders;
}

void JobTracker::divide(const Team& team, SlotOrders& orders) {
  const TrackedJob& job = jobs_[team.job];
  const bool by_clock = !mix_->is_step_counted();
  std::vector<ForkedCopy> copies;
  double all_rates = 0.0;
  for (const std::uint32_t node : team.nodes) {
    const bool moves = last_job_[node] != static_cast<std::int32_t>(team.job);
    copies.push_back({job.rates[node],
                      by_clock ? (moves ? job.prepare_seconds : 0.0) +
                                     (team.nodes.size() > 1 ? merge_seconds_ : 0.0)
                               : 0.0});
    all_rates += job.rates[node];
  }
  const ForkedSlot slot = divide_slot(copies, job.remaining, slot_seconds(team.job));
  std::uint64_t planned = 0;
  for (const std::uint64_t steps : slot.steps) {
    planned += steps;
  }
  std::uint64_t first = job.facts.steps - job.remaining;
  for (std::size_t i = 0; i < team.nodes.size(); ++i) {
    CopyOrder& order = orders.nodes[team.nodes[i]];
    order.job = static_cast<std::int32_t>(team.job);
    order.planned = order.steps = slot.steps[i];
    if (by_clock && !slot.finishes) {
      // A node that is faster than believed shows it: what no copy is expected to make is shared
      // out on top, and the clock ends the slot.
      order.steps += static_cast<std::uint64_t>(
          std::floor(static_cast<double>(job.remaining - planned) * job.rates[team.nodes[i]] /
                     all_rates * (1.0 - 1e-12)));
    }
    order.first_step = first;
    first += order.steps;
    order.seconds = by_clock ? slot_seconds(team.job) : 0.0;
    order.validates =
        team.nodes.size() > 1 && mix_->merge_rule().weights == MergeWeights::kInverseValidationLoss;
    order.values = job.facts.state.size();
    order.schedule_steps = job.facts.counters.schedule_steps;
    order.optimizer_steps = job.facts.counters.optimizer_steps;
  }
}

void JobTracker::correct(TrackedJob& job, std::uint32_t node, double measured) {
  job.rates[node] =
      job.measured[node] == 0 ? measured : kMemory * job.rates[node] + (1.0 - kMemory) * measured;
  ++job.measured[node];
}

void JobTracker::apply(const SlotOrders& orders,
                       std::span<const CopyReport> reports,
                       std::span<const std::vector<float>> states,
                       double exchange_seconds) {
  double longest = 0.0;
  for (TrackedJob& job : jobs_) {
    job.ran_last_round = false;
  }
  const std::size_t first_record = copies_.size();
  for (const Team& team : teams_) {
    merge(team, orders, reports, states);
  }
  const bool by_clock = !mix_->is_step_counted();
  for (std::size_t i = first_record; i < copies_.size(); ++i) {
    const CopyRecord& copy = copies_[i];
    const double prepare = by_clock ? reports[copy.node].prepare_seconds : 0.0;
    longest = std::max(longest, prepare + copy.seconds);
    busy_[copy.node] += prepare + copy.seconds;
  }
  clock_ += longest;
  if (by_clock) {
    clock_ += exchange_seconds;
    merge_seconds_ = blend(merge_seconds_, exchange_seconds);
    estimate_rates();
  }
  ++round_;
}

void JobTracker::merge(const Team& team,
                       const SlotOrders& orders,
                       std::span<const CopyReport> reports,
                       std::span<const std::vector<float>> states) {
  TrackedJob& job = jobs_[team.job];
  const bool by_clock = !mix_->is_step_counted();
  std::vector<MergeCopy> copies;
  std::uint64_t done = 0;
  double longest = 0.0;
  std::string failure;
  for (const std::uint32_t node : team.nodes) {
    const CopyReport& report = reports[node];
    const CopyOrder& order = orders.nodes[node];
    CopyRecord record{round_, team.job, node, order.planned, 0, clock_};
    record.believed = job.rates[node];
    record.failed = !report.failure.empty();
    MergeCopy copy;
    if (record.failed) {
      failure = report.failure;
    } else {
      BERTH_CHECK(report.steps <= order.steps, "a copy makes at most the steps ordered");
      copy = {report.steps,
              job.facts.size.batch,
              report.validation_loss,
              {report.schedule_steps, report.optimizer_steps},
              states[node]};
      record.steps = report.steps;
      record.loss = report.mean_loss;
      // Counted slots know no clock: a copy takes as long as is believed.
      record.seconds =
          by_clock ? report.seconds : static_cast<double>(report.steps) / job.rates[node];
    }
    if (by_clock && record.steps > 0 && record.seconds > 0.0) {
      record.measured = static_cast<double>(record.steps) / record.seconds;
      correct(job, node, record.measured);
      job.prepare_seconds = last_job_[node] != static_cast<std::int32_t>(team.job)
                                ? blend(job.prepare_seconds, report.prepare_seconds)
                                : job.prepare_seconds;
    }
    if (last_job_[node] >= 0 && last_job_[node] != static_cast<std::int32_t>(team.job)) {
      ++job.restarts;
    }
    last_job_[node] = static_cast<std::int32_t>(team.job);
    longest = std::max(longest, record.seconds + (by_clock ? report.prepare_seconds : 0.0));
    done += record.steps;
    copies_.push_back(record);
    copies.push_back(copy);
  }
  if (job.first_start_seconds < 0.0) {
    job.first_start_seconds = clock_;
  }
  job.ran_last_round = true;
  job.last_nodes = team.nodes;
  job.executed_seconds += longest;
  ++job.rounds;
  job.failed_rounds = done > 0 ? 0 : job.failed_rounds + 1;
  if (job.failed_rounds == kMostFailedRounds) {
    throw RunError("job '" + job.name + "': no copy counted in " +
                   std::to_string(kMostFailedRounds) + " rounds in a row; the last: " +
                   (failure.empty() ? "no step in the slot; expected longer slots" : failure));
  }
  if (done == 0) {
    return;
  }
  MergedState merged =
      merge_copies(job.facts.tensors, copies, job.facts.counters, mix_->merge_rule());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    copies_[copies_.size() - copies.size() + i].omega = merged.omega[i];
  }
  job.facts.state = std::move(merged.state);
  job.facts.counters = merged.counters;
  job.remaining -= done;
  if (job.remaining == 0) {
    job.finish_seconds = clock_ + longest;
  }
}

void JobTracker::note_score(ScoreRecord score) {
  scores_.push_back(score);
}

}  // namespace berth::launcher
