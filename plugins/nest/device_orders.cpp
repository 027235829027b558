// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>

#include "pipeline_layout.hpp"

namespace berth::nest {
namespace {

constexpr std::size_t kMostPermuted = 4;

std::vector<std::uint32_t> classes_in_use(const StrategyProblem& problem) {
  std::vector<bool> used(problem.classes.size(), false);
  for (std::size_t d = 0; d < problem.network.num_devices(); ++d) {
    used[problem.class_of(d)] = true;
  }
  std::vector<std::uint32_t> list;
  for (std::uint32_t c = 0; c < used.size(); ++c) {
    if (used[c]) {
      list.push_back(c);
    }
  }
  return list;
}

// All layers once, on every class, under the first configuration: enough to order classes.
double seconds_of(const StrategyProblem& problem, std::uint32_t device_class) {
  double seconds = 0.0;
  for (std::size_t v = 0; v < problem.layers.size(); ++v) {
    const LayerCost& cost = problem.cost(problem.configurations.front(), device_class, v);
    seconds += cost.forward_seconds + cost.backward_seconds;
  }
  return seconds;
}

}  // namespace

std::vector<DeviceOrder> device_orders(const StrategyProblem& problem) {
  std::vector<std::uint32_t> by_number(problem.network.num_devices());
  std::iota(by_number.begin(), by_number.end(), 0U);
  std::vector<DeviceOrder> orders = {{{}, by_number}};
  std::vector<std::uint32_t> used = classes_in_use(problem);
  if (used.size() < 2) {
    return orders;
  }
  std::vector<std::uint32_t> unused;
  for (std::uint32_t c = 0; c < problem.classes.size(); ++c) {
    if (std::find(used.begin(), used.end(), c) == used.end()) {
      unused.push_back(c);
    }
  }
  const auto add = [&](const std::vector<std::uint32_t>& classes) {
    std::vector<std::size_t> rank(problem.classes.size(), 0);
    for (std::size_t k = 0; k < classes.size(); ++k) {
      rank[classes[k]] = k;
    }
    DeviceOrder fresh{classes, by_number};
    fresh.classes.insert(fresh.classes.end(), unused.begin(), unused.end());
    std::stable_sort(fresh.devices.begin(), fresh.devices.end(), [&](auto a, auto b) {
      return rank[problem.class_of(a)] < rank[problem.class_of(b)];
    });
    const bool known = std::any_of(orders.begin(), orders.end(), [&](const DeviceOrder& other) {
      return other.devices == fresh.devices;
    });
    if (!known) {
      orders.push_back(std::move(fresh));
    }
  };
  if (used.size() <= kMostPermuted) {
    do {
      add(used);
    } while (std::next_permutation(used.begin(), used.end()));
    return orders;
  }
  std::stable_sort(used.begin(), used.end(), [&](std::uint32_t a, std::uint32_t b) {
    return seconds_of(problem, a) < seconds_of(problem, b);
  });
  add(used);
  std::reverse(used.begin(), used.end());
  add(used);
  return orders;
}

}  // namespace berth::nest
