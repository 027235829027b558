// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>

#include "scheduling_program.hpp"

namespace berth::nest {
namespace {

constexpr double kSameTime = 1e-6;  // of a time

}  // namespace

std::vector<double> SchedulingProgram::values_of(const OperatorSchedule& schedule) const {
  std::vector<double> values(static_cast<std::size_t>(columns_count_) + 1, 0.0);
  const auto put = [&values](int column, double value) {
    values[static_cast<std::size_t>(column)] = value;
  };
  std::vector<double> start(order_.size());
  std::vector<double> end(order_.size());
  put(makespan_, schedule.makespan_seconds * kMicroseconds);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint32_t v = order_[i];
    const bool alone = schedule.exclusive[i] != 0 && gain_[v] > 0.0;
    const double duration = one_[v] - (alone ? gain_[v] : 0.0);
    start[v] = schedule.start_seconds[i] * kMicroseconds;
    end[v] = start[v] + duration;
    put(columns_[v].start, start[v]);
    put(columns_[v].duration, duration);
    put(columns_[v].alone, alone ? 1.0 : 0.0);
  }
  const double slack = kSameTime * std::max(1.0, schedule.makespan_seconds * kMicroseconds);
  for (const auto& [pair, column] : before_) {
    const auto [v, w] = pair;
    const bool first = end[v] <= start[w] + slack;
    const bool second = end[w] <= start[v] + slack;
    put(column,
        first && (!second || start[v] < start[w] || (start[v] == start[w] && v < w)) ? 1.0 : 0.0);
  }
  put_cores(schedule, values);
  return values;
}

// Every operator takes the first core of its kinds that is free when it starts. Programs may tell
// equal cores apart by leaving the first operator core 0 alone, the next 0 and 1, and so on: cores
// are named in the order in which those with the fewest left use them.
void SchedulingProgram::put_cores(const OperatorSchedule& schedule,
                                  std::vector<double>& values) const {
  std::vector<std::uint32_t> by_start(order_.size());
  std::iota(by_start.begin(), by_start.end(), 0U);
  std::ranges::stable_sort(
      by_start, {}, [&](std::uint32_t i) { return schedule.start_seconds[i]; });
  const double slack = kSameTime * std::max(1e-6, schedule.makespan_seconds);
  for (const auto member : {&Columns::matrix, &Columns::vector}) {
    std::map<std::uint32_t, double> free;            // [core] seconds from which on
    std::map<std::uint32_t, std::uint32_t> core_of;  // [operator by appearance]
    for (const std::uint32_t i : by_start) {
      const std::uint32_t v = order_[i];
      const auto& cores = columns_[v].*member;
      if (cores.empty() || values[static_cast<std::size_t>(columns_[v].alone)] > 0.5) {
        continue;
      }
      for (const auto& [core, column] : cores) {
        if (free[core] <= schedule.start_seconds[i] + slack) {
          free[core] = schedule.start_seconds[i] + one_[v] / kMicroseconds;
          core_of[v] = core;
          break;
        }
      }
    }
    const auto left = [&](std::uint32_t v) {
      return std::ranges::count_if(
          columns_[v].*member, [&](const auto& core) { return !forbidden_.contains(core.second); });
    };
    std::vector<std::pair<std::uint32_t, std::uint32_t>> choosy(core_of.begin(), core_of.end());
    std::ranges::stable_sort(choosy, {}, [&](const auto& entry) { return left(entry.first); });
    std::map<std::uint32_t, std::uint32_t> name_of;  // [core]
    for (const auto& [v, core] : choosy) {
      const auto name = name_of.emplace(core, static_cast<std::uint32_t>(name_of.size())).first;
      const auto& cores = columns_[v].*member;
      if (const auto column = cores.find(name->second); column != cores.end()) {
        values[static_cast<std::size_t>(column->second)] = 1.0;
      }
    }
  }
}

}  // namespace berth::nest
