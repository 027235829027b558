// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "list_scheduler.hpp"

#include <algorithm>

#include "berth/error.hpp"

namespace berth::schedulers {
namespace {

double best_of(const RoundContext& context, const JobSpec& job) {
  double best = 0.0;
  for (std::size_t t = 0; t < context.cluster.num_types(); ++t) {
    if (context.cluster.capacity(to_id<GpuTypeId>(t)) >= job.gang) {
      best = std::max(best, job.rates[t]);
    }
  }
  return best;
}

}  // namespace

ListScheduler::ListScheduler(ListOptions options, std::uint64_t seed)
    : options_(std::move(options)), seed_(seed) {}

double ListScheduler::key(const RoundContext& context, const JobState& job) const {
  const double gang = job.spec->gang;
  switch (options_.order) {
    case JobOrder::kArrival:
      return job.spec->arrival_seconds;
    case JobOrder::kRemainingTime:
      return job.remaining_steps / best_of(context, *job.spec);
    case JobOrder::kRemainingService:
      return gang * job.remaining_steps / best_of(context, *job.spec);
    case JobOrder::kAttainedService:
      return gang * job.executed_seconds;
    case JobOrder::kTiresias:
      return 2.0 * static_cast<double>(queue_of(job)) + (job.ran_last_round ? 0.0 : 1.0);
    case JobOrder::kRandom:
      return Rng(seed_, {context.round, index(job.id)}).uniform();
  }
  throw InternalError("unknown job order");
}

double ListScheduler::attained_service(const JobState& job) const {
  const double before =
      index(job.id) < stays_.size() ? stays_[index(job.id)].executed_seconds : 0.0;
  return job.spec->gang * (job.executed_seconds - before);
}

// A job leaves queue q when its service reaches the limit, that is after limit / gang seconds of
// running; Tiresias' simulator computes that moment as (limit - executed) / gang.
std::ptrdiff_t ListScheduler::queue_of(const JobState& job) const {
  const double attained = attained_service(job);
  return std::count_if(options_.queue_limits_gpu_seconds.begin(),
                       options_.queue_limits_gpu_seconds.end(),
                       [attained](double limit) { return attained >= limit; });
}

// A demoted job that has waited promote_knob times as long as it ran, both since it last entered
// the first queue, enters it again as if it had never run.
void ListScheduler::promote_starving(const RoundContext& context) {
  for (const JobState& job : context.jobs) {
    if (stays_.size() <= index(job.id)) {
      stays_.resize(index(job.id) + 1);
    }
    QueueStay& stay = stays_[index(job.id)];
    if (stay.entered_seconds < 0.0) {
      stay.entered_seconds = job.spec->arrival_seconds;
    }
    const double executed = job.executed_seconds - stay.executed_seconds;
    const double pending = context.now_seconds - stay.entered_seconds - executed;
    if (!job.ran_last_round && queue_of(job) > 0 && pending >= options_.promote_knob * executed) {
      stay = {context.now_seconds, job.executed_seconds};
    }
  }
}

std::vector<std::size_t> ListScheduler::rows_in_order(const RoundContext& context) const {
  std::vector<std::pair<double, std::size_t>> keyed;
  keyed.reserve(context.jobs.size());
  for (std::size_t row = 0; row < context.jobs.size(); ++row) {
    keyed.emplace_back(key(context, context.jobs[row]), row);
  }
  if (!(options_.order == JobOrder::kArrival && std::is_sorted(keyed.begin(), keyed.end()))) {
    std::sort(keyed.begin(), keyed.end());
  }
  std::vector<std::size_t> rows;
  rows.reserve(keyed.size());
  for (const auto& entry : keyed) {
    rows.push_back(entry.second);
  }
  return rows;
}

std::size_t ListScheduler::pick_type(const RoundContext& context,
                                     const JobState& job,
                                     const std::vector<std::uint32_t>& left,
                                     Rng& rng) const {
  const std::size_t types = left.size();
  std::vector<std::size_t> open;
  for (std::size_t t = 0; t < types; ++t) {
    const bool splits = job.spec->gang > context.cluster.largest_pool(to_id<GpuTypeId>(t)) &&
                        context.gangs.measured_spread;
    const double rate = splits ? job.spec->spread_rates[t] : job.spec->rates[t];
    if (left[t] >= job.spec->gang && rate > 0.0) {
      open.push_back(t);
    }
  }
  if (open.empty()) {
    return types;
  }
  if (options_.type_rule == TypeRule::kRandom) {
    return open[rng.below(open.size())];
  }
  const auto better = [&](std::size_t a, std::size_t b) {
    return options_.type_rule == TypeRule::kFastest ? job.spec->rates[a] < job.spec->rates[b]
                                                    : left[a] < left[b];
  };
  return *std::max_element(open.begin(), open.end(), better);
}

// Without preemption whoever runs stays, and whoever does not fit beside them fits no better later:
// a decision that started nobody holds until a job arrives or leaves.
bool ListScheduler::is_settled(const RoundContext& context) const {
  return settled_ && context.round == decided_at_ + 1 && context.arrived.empty() &&
         std::none_of(context.last_round.begin(),
                      context.last_round.end(),
                      [](const JobOutcome& outcome) { return outcome.finished || outcome.failed; });
}

RoundSchedule ListScheduler::schedule(const RoundContext& context) {
  if (is_settled(context)) {
    decided_at_ = context.round;
    return last_;
  }
  if (options_.order == JobOrder::kTiresias && options_.promote_knob > 0.0) {
    promote_starving(context);
  }
  std::vector<std::uint32_t> left;
  for (std::size_t t = 0; t < context.cluster.num_types(); ++t) {
    left.push_back(context.cluster.capacity(to_id<GpuTypeId>(t)));
  }
  Rng rng(seed_, {context.round, 0x74797065});
  std::vector<PureGang> gangs;
  const auto add = [&](std::size_t row, std::size_t type) {
    left[type] -= context.jobs[row].spec->gang;
    gangs.push_back({row, type});
  };
  const std::vector<std::size_t> order = rows_in_order(context);
  if (!options_.preempts) {
    for (std::size_t row = 0; row < context.jobs.size(); ++row) {
      const JobState& job = context.jobs[row];
      if (job.ran_last_round) {
        add(row, index(context.cluster.type_of(job.gpus.front())));
      }
    }
  }
  for (const std::size_t row : order) {
    const JobState& job = context.jobs[row];
    if (!options_.preempts && job.ran_last_round) {
      continue;
    }
    const std::size_t type = pick_type(context, job, left, rng);
    if (type < left.size()) {
      add(row, type);
    } else if (options_.blocks) {
      break;
    }
  }
  served_.clear();
  for (const std::size_t row : order) {
    served_.push_back(context.jobs[row].id);
  }
  running_.clear();
  left_ = left;
  RoundSchedule schedule = place_pure_gangs(context, std::move(gangs), Stickiness::kPreviousRound);
  for (const Assignment& assignment : schedule.assignments) {
    running_.push_back(assignment.job);
  }
  if (!options_.preempts && options_.type_rule != TypeRule::kRandom) {
    const auto ran = static_cast<std::size_t>(
        std::count_if(context.jobs.begin(), context.jobs.end(), [](const JobState& job) {
          return job.ran_last_round;
        }));
    settled_ = ran == schedule.assignments.size();
    decided_at_ = context.round;
    last_ = schedule;
  }
  return schedule;
}

std::string ListScheduler::explain(JobId job) const {
  const auto at = std::find(served_.begin(), served_.end(), job);
  if (at == served_.end()) {
    return "not an active job of the last round";
  }
  const auto position = static_cast<std::size_t>(at - served_.begin());
  const bool runs = std::find(running_.begin(), running_.end(), job) != running_.end();
  std::string text = runs ? "chosen" : "not chosen";
  text += ": number " + std::to_string(position + 1) + " of " + std::to_string(served_.size()) +
          " in the order of service; left after the round's choice:";
  for (const std::uint32_t count : left_) {
    text += " " + std::to_string(count);
  }
  return text + " accelerators by type";
}

}  // namespace berth::schedulers
