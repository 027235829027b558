// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "hadar_scheduler.hpp"

#include <algorithm>
#include <cstdio>

#include "job_views.hpp"

namespace berth::hadar {
namespace {

constexpr double kHorizonFactor = 3.0;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

}  // namespace

bool HadarScheduler::may_keep(const RoundContext& context) const {
  if (!decided_ || context.round - decided_at_ >= options_.replan_rounds ||
      !context.arrived.empty()) {
    return false;
  }
  return std::none_of(context.last_round.begin(),
                      context.last_round.end(),
                      [](const JobOutcome& outcome) { return outcome.finished; });
}

double HadarScheduler::horizon(const RoundContext& context, std::span<const JobView> jobs) const {
  double gpu_seconds = 0.0;
  double latest = 0.0;
  for (const JobView& job : jobs) {
    gpu_seconds += job.state->spec->gang * job.state->remaining_steps / job.best_rate;
    latest = std::max(latest, job.state->spec->arrival_seconds);
  }
  const double automatic =
      context.now_seconds +
      kHorizonFactor * gpu_seconds / static_cast<double>(context.cluster.num_gpus());
  const double chosen = options_.horizon_seconds > 0.0 ? options_.horizon_seconds : automatic;
  return std::max(chosen, latest + context.round_seconds);  // a job's stay is never negative
}

RoundSchedule HadarScheduler::schedule(const RoundContext& context) {
  if (context.jobs.empty()) {
    decided_ = false;
    return {};
  }
  if (may_keep(context)) {
    return last_;
  }
  decided_ = true;
  decided_at_ = context.round;
  const std::vector<JobView> jobs = view_jobs(context, options_.utility);
  const double until = horizon(context, jobs);
  const Utility utility(options_.utility, context.now_seconds, until);
  const RoundProblem problem{context, jobs, utility, options_.settings};
  const UtilityRange range = utility_range(context, jobs, utility, options_.prices, until);
  PriceBook prices(context.cluster, range, options_.prices);
  const PriceBook opening = prices;
  GpuLedger ledger(context.cluster);
  std::vector<Decision> decisions = options_.allocation == AllocationKind::kExact
                                        ? allocate_exactly(problem, ledger, prices)
                                        : allocate_greedily(problem, ledger, prices);
  certify(problem, opening, decisions);

  last_ = {};
  reasons_.clear();
  waiting_.clear();
  std::vector<std::uint8_t> started(jobs.size(), 0);
  for (Decision& decision : decisions) {
    const JobState& state = context.jobs[decision.row];
    started[decision.row] = 1;
    reasons_.push_back(
        {state.id, state.spec->gang, decision.utility, decision.charge, decision.by_filling});
    last_.assignments.push_back({state.id, std::move(decision.gpus)});
  }
  const std::vector<std::size_t> order = rows_by_density(problem);
  for (std::size_t position = 0; position < order.size(); ++position) {
    const JobView& job = jobs[order[position]];
    if (started[order[position]] == 0) {
      const double best = utility.of_running(job, job.best_rate, 0.0, {});
      waiting_.push_back({job.state->id, job.state->spec->gang, best, position});
    }
  }
  left_.clear();
  closing_prices_.clear();
  for (std::size_t t = 0; t < context.cluster.num_types(); ++t) {
    left_.push_back(ledger.free(to_id<GpuTypeId>(t)));
    closing_prices_.push_back(prices.least_price(to_id<GpuTypeId>(t)));
  }
  type_names_.assign(context.cluster.type_names().begin(), context.cluster.type_names().end());
  return last_;
}

void HadarScheduler::certify(const RoundProblem& problem,
                             const PriceBook& opening,
                             const std::vector<Decision>& decisions) {
  (void)problem;
  double primal = 0.0;
  double dual = opening.initial_dual();
  for (const Decision& decision : decisions) {
    if (!decision.by_filling) {
      primal += decision.utility;
      dual += std::max(0.0, decision.payoff()) + decision.dual_growth;
    }
  }
  ++rounds_decided_;
  primal_ += primal;
  dual_ += dual;
  if (primal > 0.0) {
    worst_ratio_ = std::max(worst_ratio_, dual / primal);
  }
  alpha_ = std::max(alpha_, opening.alpha());
  alpha_c_ = std::max(alpha_c_, opening.alpha_c());
}

std::vector<SchedulerFigure> HadarScheduler::figures() const {
  if (!options_.prices.enabled || rounds_decided_ == 0) {
    return {};
  }
  return {{"primal", primal_},
          {"dual", dual_},
          {"ratio", primal_ > 0.0 ? dual_ / primal_ : 0.0},
          {"ratio_worst_round", worst_ratio_},
          {"alpha", alpha_},
          {"alpha_whole_gpus", alpha_c_},
          {"certified_ratio", 2.0 * alpha_c_}};
}

std::string HadarScheduler::explain(JobId id) const {
  const auto same = [id](const auto& entry) { return entry.job == id; };
  const auto reason = std::find_if(reasons_.begin(), reasons_.end(), same);
  if (reason != reasons_.end()) {
    return "utility " + number(reason->utility) + " - charge " + number(reason->charge) +
           " = payoff " + number(reason->utility - reason->charge) +
           (reason->by_filling ? "; started on accelerators that the prices left idle" : "");
  }
  const auto waits = std::find_if(waiting_.begin(), waiting_.end(), same);
  if (waits == waiting_.end()) {
    return "not an active job of the last decision";
  }
  std::string text = "utility at best " + number(waits->best_utility) + " for a gang of " +
                     std::to_string(waits->gang) + ", number " +
                     std::to_string(waits->position + 1) + " by utility per accelerator; left:";
  bool room = false;
  for (std::size_t t = 0; t < left_.size(); ++t) {
    text += " " + std::to_string(left_[t]) + " " + type_names_[t];
    if (left_[t] > 0) {
      text += " at " + number(closing_prices_[t]);
    }
    room = room || left_[t] >= waits->gang;
  }
  return text + (room ? "; its payoff is not positive on any of them"
                      : "; its gang does not fit into what jobs of more utility left");
}

}  // namespace berth::hadar
