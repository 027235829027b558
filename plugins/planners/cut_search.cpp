// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cut_search.hpp"

#include <algorithm>
#include <cmath>

namespace berth::planners {

CutSearch::CutSearch(const PartitionProblem& problem, const CutList& list)
    : problem_(problem), list_(list) {
  const std::uint32_t most = problem.data_parallel ? problem.micro_batches : 1;
  for (std::uint32_t d = 1; d <= most; ++d) {
    if (problem.micro_batches % d == 0) {
      degrees_.push_back(d);
    }
  }
}

double CutSearch::seconds(const ChosenStage& stage) const {
  const CutOption& option = list_.options[stage.option];
  const double d = stage.data;
  return option.label.busy / d + 4.0 * (d - 1.0) * option.label.parameters *
                                     problem_.gradient_seconds_per_byte /
                                     (d * problem_.micro_batches);
}

std::optional<std::vector<ChosenStage>> CutSearch::find(double most_seconds,
                                                        const CutLimits& limits) {
  fronts_.assign(list_.sets.size(), {});
  fronts_.back().push_back({});
  for (std::uint32_t cut = 0; cut < list_.cuts.size(); ++cut) {
    if (!fronts_[list_.cuts[cut].outer].empty()) {
      extend(cut, most_seconds, limits);
    }
  }
  if (fronts_.front().empty()) {
    return std::nullopt;
  }
  std::vector<ChosenStage> stages;
  std::uint32_t set = 0;
  const State* state = &fronts_[0].front();
  while (set + 1 < fronts_.size()) {
    stages.push_back(state->stage);
    set = list_.cuts[state->stage.cut].outer;
    state = &fronts_[set][state->next];
  }
  return stages;
}

void CutSearch::extend(std::uint32_t cut, double most_seconds, const CutLimits& limits) {
  const Cut& here = list_.cuts[cut];
  for (const std::uint32_t d : degrees_) {
    // Of one width the label that leaves room for most samples in flight is enough.
    std::size_t option = here.first_option;
    while (option < here.end_option) {
      const std::uint32_t width = list_.options[option].width;
      const bool on_host = list_.options[option].on_host;
      double most = 0.0;
      std::size_t best = here.end_option;
      for (; option < here.end_option && list_.options[option].width == width &&
             list_.options[option].on_host == on_host;
           ++option) {
        const StageLabel& label = list_.options[option].label;
        const ChosenStage stage{cut, static_cast<std::uint32_t>(option), d};
        const double room = limits.memory_bytes - label.fixed;
        if (seconds(stage) > most_seconds || (!on_host && room < 0.0)) {
          continue;
        }
        const double in_flight =
            on_host || label.stash == 0.0 ? INFINITY : std::floor(room / label.stash);
        if (in_flight > most) {
          most = in_flight;
          best = option;
        }
      }
      if (best < here.end_option && !(on_host && d > 1)) {
        extend_by(cut, static_cast<std::uint32_t>(best), d, most, limits);
      }
    }
  }
}

void CutSearch::extend_by(std::uint32_t cut,
                          std::uint32_t option,
                          std::uint32_t data,
                          double most_in_flight,
                          const CutLimits& limits) {
  const Cut& here = list_.cuts[cut];
  const CutOption& chosen = list_.options[option];
  const std::vector<State>& after = fronts_[here.outer];
  for (std::uint32_t k = 0; k < after.size(); ++k) {
    State state = after[k];
    state.replicas += data;
    const std::uint32_t in_flight = (state.replicas + data - 1) / data;
    if (chosen.on_host) {
      ++state.hosts;
    } else {
      state.accelerators += data * problem_.widths[chosen.width];
    }
    if (in_flight > most_in_flight || state.hosts > limits.hosts ||
        state.accelerators > limits.accelerators) {
      continue;
    }
    state.next = k;
    state.stage = {cut, option, data};
    insert(fronts_[here.inner], state);
  }
}

void CutSearch::insert(std::vector<State>& front, const State& fresh) {
  const auto covers = [](const State& a, const State& b) {
    return a.accelerators <= b.accelerators && a.hosts <= b.hosts && a.replicas <= b.replicas;
  };
  for (const State& state : front) {
    if (covers(state, fresh)) {
      return;
    }
  }
  std::erase_if(front, [&](const State& state) { return covers(fresh, state); });
  front.push_back(fresh);
}

}  // namespace berth::planners
