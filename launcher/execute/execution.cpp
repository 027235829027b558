// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "execution.hpp"

#include <algorithm>
#include <chrono>
#include <set>

namespace berth::launcher {
namespace {

using Clock = std::chrono::steady_clock;

bool counts(const CopyReport& report) {
  return report.failure.empty() && report.steps > 0;
}

}  // namespace

ExecutionOutput::~ExecutionOutput() = default;

Execution::Execution(MpiSession& session,
                     const Mix& mix,
                     std::uint64_t run_seed,
                     PluginHost& host,
                     Watchdog& watchdog,
                     const StopSignal& stop)
    : session_(session),
      mix_(mix),
      watchdog_(watchdog),
      stop_(stop),
      worker_(mix, static_cast<std::uint32_t>(session.rank()), run_seed, host, watchdog, stop) {}

std::vector<JobFacts> Execution::facts() {
  std::vector<JobFacts> facts;
  for (std::size_t id = 0; id < mix_.jobs.size(); ++id) {
    TrainingJob& job = worker_.job(id);
    JobFacts& of_job = facts.emplace_back();
    of_job.size = job.size();
    of_job.tensors = job.tensors();
    of_job.steps = job_steps(mix_.jobs[id], of_job.size);
    of_job.state.resize(count_values(of_job.tensors));
    job.get_state(of_job.state);
    of_job.counters = job.counters();
    of_job.start = job.evaluate(HeldOut::kTest);
  }
  return facts;
}

int Execution::run(JobTracker* tracker, ClusterScheduler* scheduler, ExecutionOutput* output) {
  for (;;) {
    const Clock::time_point begin = Clock::now();
    const SlotOrders orders = agree_on_orders(tracker, scheduler);
    if (orders.ends) {
      return 0;
    }
    watchdog_.alive("exchange of round", orders.round);
    std::vector<float> mine;
    share_states(orders, tracker, mine);
    const CopyOrder& order = orders.nodes[static_cast<std::size_t>(session_.rank())];
    CopyReport report;
    if (order.job >= 0) {
      report = worker_.run(order, mine, orders.round);
    }
    report.stop_signal = stop_.raised();
    watchdog_.alive("exchange of round", orders.round);
    std::vector<CopyReport> reports;
    double longest = 0.0;
    for (const std::string& bytes : session_.all_gather(encode(report), "reports of a round")) {
      reports.push_back(decode_copy_report(bytes));
      longest = std::max(longest, reports.back().prepare_seconds + reports.back().seconds);
    }
    for (const CopyReport& of_node : reports) {
      if (of_node.stop_signal != 0) {
        return of_node.stop_signal;
      }
    }
    const std::vector<std::vector<float>> states = gather_states(orders, reports, mine);
    if (tracker != nullptr) {
      const std::chrono::duration<double> wall = Clock::now() - begin;
      tracker->apply(orders, reports, states, std::max(0.0, wall.count() - longest));
      score(orders, *tracker);
      if (output != nullptr) {
        watchdog_.alive("checkpoint of round", orders.round);
        output->round_done(*tracker);
      }
    }
  }
}

SlotOrders Execution::agree_on_orders(JobTracker* tracker, ClusterScheduler* scheduler) {
  std::string bytes;
  if (tracker != nullptr) {
    SlotOrders orders;
    orders.ends = tracker->is_done();
    bytes = encode(orders.ends ? orders : tracker->plan(*scheduler));
  }
  session_.broadcast(bytes, "orders of a round");
  return decode_orders(bytes);
}

void Execution::share_states(const SlotOrders& orders,
                             const JobTracker* tracker,
                             std::vector<float>& mine) {
  constexpr const char* kWhat = "merged state of a job";
  for (std::size_t node = 0; node < orders.nodes.size(); ++node) {
    const CopyOrder& order = orders.nodes[node];
    if (order.job < 0) {
      continue;
    }
    if (tracker == nullptr) {
      if (static_cast<int>(node) == session_.rank()) {
        mine.resize(order.values);
        session_.receive(mine, 0, kWhat);
      }
      continue;
    }
    const std::vector<float>& state =
        tracker->jobs()[static_cast<std::size_t>(order.job)].facts.state;
    if (node == 0) {
      mine = state;
    } else {
      session_.send(state, static_cast<int>(node), kWhat);
    }
  }
}

std::vector<std::vector<float>> Execution::gather_states(const SlotOrders& orders,
                                                         const std::vector<CopyReport>& reports,
                                                         std::vector<float>& mine) {
  constexpr const char* kWhat = "state of a copy";
  std::vector<std::vector<float>> states(orders.nodes.size());
  for (std::size_t node = 0; node < orders.nodes.size(); ++node) {
    if (!counts(reports[node])) {
      continue;
    }
    if (session_.rank() == 0) {
      if (node == 0) {
        states[0] = std::move(mine);
      } else {
        states[node].resize(orders.nodes[node].values);
        session_.receive(states[node], static_cast<int>(node), kWhat);
      }
    } else if (static_cast<int>(node) == session_.rank()) {
      session_.send(mine, 0, kWhat);
    }
  }
  return states;
}

void Execution::score(const SlotOrders& orders, JobTracker& tracker) {
  std::set<std::int32_t> trained;
  for (const CopyOrder& order : orders.nodes) {
    if (order.job >= 0) {
      trained.insert(order.job);
    }
  }
  for (const std::int32_t id : trained) {
    watchdog_.alive("scoring of round", orders.round);
    const TrackedJob& tracked = tracker.jobs()[static_cast<std::size_t>(id)];
    TrainingJob& job = worker_.job(static_cast<std::size_t>(id));
    job.set_state(tracked.facts.state);
    const TrainingScore validation = job.evaluate(HeldOut::kValidation);
    ScoreRecord score;
    score.round = orders.round;
    score.job = static_cast<std::uint32_t>(id);
    score.steps = tracked.facts.steps - tracked.remaining;
    score.clock_seconds =
        tracked.finish_seconds >= 0.0 ? tracked.finish_seconds : tracker.clock_seconds();
    score.validation_loss = validation.loss;
    score.validation = validation.value;
    score.test = job.evaluate(HeldOut::kTest).value;
    tracker.note_score(score);
  }
}

}  // namespace berth::launcher
