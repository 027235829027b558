// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "compositions.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "berth/error.hpp"

namespace berth::hadar {

CompositionGrid::CompositionGrid(const Cluster& cluster, std::size_t state_limit)
    : stride_(cluster.num_types(), 1) {
  double states = 1.0;
  for (std::size_t t = 0; t < cluster.num_types(); ++t) {
    capacity_.push_back(cluster.capacity(to_id<GpuTypeId>(t)));
    states *= capacity_.back() + 1.0;
  }
  if (states > static_cast<double>(state_limit)) {
    char number[32];
    std::snprintf(number, sizeof number, "%.10g", states);
    throw InputError(std::string("hadar: allocation=exact needs ") + number +
                     " states for this cluster; state_limit is " + std::to_string(state_limit) +
                     "; raise it, or use allocation=greedy");
  }
  for (std::size_t t = capacity_.size(); t-- > 0;) {
    stride_[t] = num_states_;
    num_states_ *= capacity_[t] + 1U;
  }
}

const std::vector<std::size_t>& CompositionGrid::of_gang(std::uint32_t gang) {
  const auto found = by_gang_.find(gang);
  if (found != by_gang_.end()) {
    return found->second;
  }
  std::vector<Composition> made;
  Composition now;
  now.counts.assign(capacity_.size(), 0);
  // Counts of the first types are free; the last takes the rest.
  const auto extend = [&](const auto& self, std::size_t type, std::uint32_t left) -> void {
    if (type + 1 == capacity_.size()) {
      if (left > capacity_[type]) {
        return;
      }
      now.counts[type] = left;
      made.push_back(now);
      return;
    }
    for (std::uint32_t n = 0; n <= std::min(left, capacity_[type]); ++n) {
      now.counts[type] = n;
      self(self, type + 1, left - n);
    }
  };
  extend(extend, 0, gang);
  for (Composition& composition : made) {
    composition.gang = gang;
    for (std::size_t t = capacity_.size(); t-- > 0;) {
      if (composition.counts[t] > 0) {
        ++composition.types_used;
        composition.first_type = t;
        composition.offset += composition.counts[t] * stride_[t];
      }
    }
  }
  std::stable_sort(made.begin(), made.end(), [](const Composition& a, const Composition& b) {
    return a.types_used < b.types_used;
  });
  std::vector<std::size_t> positions;
  for (Composition& composition : made) {
    positions.push_back(compositions_.size());
    compositions_.push_back(std::move(composition));
  }
  return by_gang_.emplace(gang, std::move(positions)).first->second;
}

std::optional<std::size_t> CompositionGrid::before(std::size_t state, std::size_t c) const {
  for (std::size_t t = 0; t < capacity_.size(); ++t) {
    if (taken(state, t) < compositions_[c].counts[t]) {
      return std::nullopt;
    }
  }
  return state - compositions_[c].offset;
}

void CompositionGrid::relax(std::size_t c, double utility, const double* from, double* to) const {
  const Composition& n = compositions_[c];
  const std::size_t last = capacity_.size() - 1;
  const std::size_t row = capacity_[last] + 1U;
  const std::size_t inner = row - n.counts[last];
  for (std::size_t base = 0; base < num_states_; base += row) {
    bool fits = true;
    for (std::size_t t = 0; fits && t < last; ++t) {
      fits = taken(base, t) + n.counts[t] <= capacity_[t];
    }
    if (!fits) {
      continue;
    }
    const double* source = from + base;
    double* target = to + base + n.offset;
    for (std::size_t i = 0; i < inner; ++i) {
      const double value = source[i] + utility;
      target[i] = target[i] < value ? value : target[i];
    }
  }
}

}  // namespace berth::hadar
