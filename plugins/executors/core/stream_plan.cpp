// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stream_plan.hpp"

#include <algorithm>
#include <queue>

#include "berth/error.hpp"

#include "stream_feeder.hpp"
#include "stream_order.hpp"

namespace berth::executors {
namespace {

/// The end of a step in the play; ties by the order of starts.
struct StepEnd {
  double time = 0.0;
  std::size_t step = 0;

  bool operator>(const StepEnd& other) const noexcept {
    return time != other.time ? time > other.time : step > other.step;
  }
};

}  // namespace

Producers::Producers(const ExecutionPlan& plan) : begin(plan.num_tasks() + 1, 0) {
  for (const std::uint32_t task : plan.out) {
    ++begin[task + 1];
  }
  for (std::size_t task = 0; task < plan.num_tasks(); ++task) {
    begin[task + 1] += begin[task];
  }
  rows.resize(plan.out.size());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t task = 0; task < plan.num_tasks(); ++task) {
    for (const std::uint32_t consumer : plan.successors(task)) {
      rows[next[consumer]++] = task;
    }
  }
}

StreamPlan plan_streams(const ExecutionPlan& plan,
                        const Producers& producers,
                        std::span<const double> seconds,
                        const StreamSpec& spec) {
  StreamPlan found;
  found.is_waited.assign(plan.num_tasks(), 0);
  StreamFeeder feeder(plan, producers, spec);
  StreamOrder order(plan.num_tasks(), plan.num_devices * spec.all());
  std::priority_queue<StepEnd, std::vector<StepEnd>, std::greater<>> ends;
  double now = 0.0;
  const auto start = [&](std::uint32_t task, StreamId stream) {
    ends.push({now + seconds[task], found.steps.size()});
    const auto waits = order.put(task, feeder.slot(stream), producers.of(task));
    found.steps.push_back({task,
                           stream,
                           static_cast<std::uint32_t>(found.waits.size()),
                           static_cast<std::uint32_t>(waits.size())});
    for (const std::uint32_t producer : waits) {
      found.waits.push_back(producer);
      found.is_waited[producer] = 1;
    }
  };
  for (std::uint32_t d = 0; d < plan.num_devices; ++d) {
    feeder.feed(d, start);
  }
  std::vector<char> woken(plan.num_devices, 0);
  while (!ends.empty()) {
    now = ends.top().time;
    while (!ends.empty() && ends.top().time <= now) {
      const StreamPlan::Step step = found.steps[ends.top().step];
      ends.pop();
      feeder.end(step.task, step.stream, now, [&](std::uint32_t d) { woken[d] = 1; });
    }
    for (std::uint32_t d = 0; d < plan.num_devices; ++d) {
      if (woken[d] != 0) {
        woken[d] = 0;
        feeder.feed(d, start);
      }
    }
  }
  BERTH_CHECK(found.steps.size() == plan.num_tasks(), "the play ends with every task");
  return found;
}

}  // namespace berth::executors
