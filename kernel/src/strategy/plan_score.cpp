// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plan_score.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "berth/error.hpp"

#include "plan_walk.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

using internal::PlanWalk;

// Why the sum of loads and the played-out schedule differ.
std::string explain(const PlanScore& score, double closed, double played, std::size_t chunks) {
  if (std::abs(closed - played) <= 0.03 * played) {
    return {};
  }
  double slowest = 0.0;
  double mean = 0.0;
  double transfer = 0.0;
  for (const StageTime& time : score.times) {
    slowest = std::max(slowest, time.load());
    mean += time.load() / static_cast<double>(score.times.size());
    transfer = std::max(transfer, time.load() > 0.0 ? time.transfer / time.load() : 0.0);
  }
  const auto percent = [](double share) {
    return std::to_string(static_cast<int>(std::lround(100.0 * share))) + " %";
  };
  std::string text = "closed form " + percent(std::abs(closed / played - 1.0)) +
                     (closed > played ? " above" : " below") + " the played-out schedule: ";
  text += closed > played && chunks > 1
              ? "it charges fill and drain at the largest chunk of each device"
          : closed > played
              ? "it charges fill and drain at the sum of the loads, transfers included"
          : chunks > 1 ? "chunks of unequal load, or messages longer than passes, make devices wait"
                       : "replicas of unequal number wait for their turn";
  return text + " (slowest load " + percent(mean > 0.0 ? slowest / mean - 1.0 : 0.0) +
         " above the mean, transfers up to " + percent(transfer) + " of a load)";
}

// 1F1B: fill, steady state and drain at the loads, messages at both ends of each.
double plain_form(const PlanWalk& walk, const ParallelPlan& plan, const PlanScore& score) {
  double sum = 0.0;
  double steady = 0.0;
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    sum += score.times[q].load();
    steady = std::max(steady, (walk.waves(q) - 1.0) * score.times[q].load());
  }
  return sum + steady;
}

// Interleaved 1F1B: the busiest device computes all the time, but while a micro-batch passes the
// first chunks of the other devices on its way in and out. Messages are delays, as in the schedule
// played out: those of fill and drain show, the others hide behind passes of other chunks.
double interleaved_form(const PlanWalk& walk,
                        const ParallelPlan& plan,
                        const std::vector<PipelineStage>& pipeline) {
  const std::size_t depth = plan.depth();
  std::vector<double> busy(depth, 0.0);
  std::vector<double> largest(depth, 0.0);
  double fill = 0.0;
  for (std::size_t q = 0; q < pipeline.size(); ++q) {
    const double pass = pipeline[q].forward_seconds + pipeline[q].backward_seconds;
    busy[q % depth] += pass;
    largest[q % depth] = std::max(largest[q % depth], pass);
    fill += q + 1 < depth ? 2.0 * pipeline[q].link_seconds : 0.0;
  }
  const auto slowest = std::max_element(busy.begin(), busy.end());
  for (const double pass : largest) {
    fill += pass;
  }
  return fill - largest[static_cast<std::size_t>(slowest - busy.begin())] +
         walk.waves(0) * *slowest;
}

// Gradients and optimizer after the last backward pass. A later device ends its last one earlier,
// by those of the stages before it.
double exposed_seconds(const ParallelPlan& plan, const std::vector<StageTime>& times) {
  double exposed = 0.0;
  double upstream = 0.0;
  for (std::size_t block = 0; block < plan.depth(); ++block) {
    double own = 0.0;
    for (std::size_t q = block; q < times.size(); q += plan.depth()) {
      own += times[q].sync + times[q].step;
    }
    exposed = std::max(exposed, own - upstream);
    upstream += times[block].backward + times[block].recompute;
  }
  return exposed;
}

// Memory of every stage, and whether every device fits at every moment.
void weigh(const PlanWalk& walk,
           const ParallelPlan& plan,
           const PipelineRun& run,
           PlanScore& score) {
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    score.memories.push_back(walk.memory(q, static_cast<double>(run.in_flight[q])));
  }
  score.peak_bytes = run.peak_bytes;
  for (std::size_t block = 0; block < plan.depth(); ++block) {
    double work = 0.0;
    for (std::size_t q = block; q < plan.stages.size(); q += plan.depth()) {
      const StageMemory& memory = score.memories[q];
      score.peak_bytes[block] +=
          memory.weights + memory.gradients + memory.optimizer + memory.reserve;
      work = std::max(work, memory.work);
    }
    score.peak_bytes[block] += work;
    const double share = score.peak_bytes[block] / walk.smallest_memory(block);
    if (share > score.fullest_share) {
      score.fullest_share = share;
      score.fullest_stage = block;
    }
  }
  score.fits = score.fullest_share <= 1.0;
}

}  // namespace

PlanScore score_plan(const StrategyProblem& problem,
                     const ParallelPlan& plan,
                     const PlanRules& rules) {
  check_plan(problem, plan);
  for (const PlanStage& stage : plan.stages) {
    const std::size_t block = problem.configurations[stage.configuration].block();
    if (stage.devices != block) {
      throw InputError(problem.model + ": plan has stages of " + std::to_string(stage.devices) +
                       " devices; expected one block of " + std::to_string(block));
    }
  }
  const PlanWalk walk(problem, plan, rules);
  const bool uniform = plan.is_uniform();
  PlanScore score;
  std::vector<PipelineStage> pipeline;
  double busy = 0.0;
  for (std::size_t q = 0; q < plan.stages.size(); ++q) {
    const StageTime time = walk.time(q);
    score.times.push_back(time);
    const double half_zero = 0.5 * time.zero;
    const double link =
        q + 1 < plan.stages.size() ? (1.0 - rules.overlap_transfer) * walk.link(q) : 0.0;
    pipeline.push_back({time.forward + half_zero,
                        time.backward + time.recompute + half_zero,
                        link,
                        uniform ? 1 : plan.stages[q].replicas(),
                        walk.saved_bytes(q)});
    busy += (time.forward + time.backward + time.recompute + time.zero) * walk.waves(q);
  }
  // Equal replicas run side by side: the busiest stands for all.
  const std::size_t batch = problem.configurations[plan.configuration].micro_batches;
  const PipelineRun run = play_pipeline(
      pipeline, uniform ? static_cast<std::size_t>(walk.waves(0)) : batch, plan.chunks);
  weigh(walk, plan, run, score);
  score.closed_seconds =
      plan.chunks > 1 ? interleaved_form(walk, plan, pipeline) : plain_form(walk, plan, score);
  score.pipeline_seconds = plan.chunks > 1 ? run.seconds
                           : uniform       ? score.closed_seconds
                                           : std::max(score.closed_seconds, run.seconds);
  score.difference = explain(score, score.closed_seconds, run.seconds, plan.chunks);
  score.sync_seconds = exposed_seconds(plan, score.times) + walk.tied_seconds();
  score.seconds_per_batch = score.pipeline_seconds + score.sync_seconds;
  score.closed_seconds += score.sync_seconds;
  score.simulated_seconds = run.seconds + score.sync_seconds;
  score.bubble_fraction = 1.0 - busy / (static_cast<double>(plan.depth()) * score.pipeline_seconds);
  return score;
}

}  // namespace abi_v1
}  // namespace berth
