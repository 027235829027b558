// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "plan_list.hpp"

#include <algorithm>
#include <cmath>

namespace berth::nest {
namespace {

constexpr double kSlack = 1.0 + 1e-9;

double price_per_hour(const StrategyProblem& problem, const ParallelPlan& plan) {
  double price = 0.0;
  for (std::size_t q = 0; q < plan.depth(); ++q) {
    for (const std::vector<std::uint32_t>& block : plan.stages[q].blocks) {
      for (const std::uint32_t device : block) {
        price += problem.classes[problem.class_of(device)].price_per_hour;
      }
    }
  }
  return price;
}

}  // namespace

PlanList::PlanList(const StrategyProblem& problem,
                   const SearchSettings& settings,
                   std::size_t top_k)
    : problem_(problem), objective_(settings.objective), top_k_(top_k), least_price_(INFINITY) {
  for (const DeviceClass& device_class : problem.classes) {
    least_price_ = std::min(least_price_, device_class.price_per_hour);
  }
}

PlanList::Value PlanList::value_of(double seconds, double devices, double price) const {
  switch (objective_) {
    case Objective::kCost:
      return {seconds * price / 3600.0, seconds};
    case Objective::kDevices:
      return {devices, seconds};
    default:
      return {seconds, 0.0};
  }
}

PlanList::Value PlanList::last() const {
  if (best_.size() < top_k_) {
    return {INFINITY, INFINITY};
  }
  const PlanKey& key = best_.back().key;
  const double seconds = objective_ == Objective::kTime ? 0.0 : key.seconds;
  // Numbers of devices are exact and need no slack.
  return {objective_ == Objective::kDevices ? key.objective : key.objective * kSlack,
          seconds * kSlack};
}

bool PlanList::excludes(double seconds, double devices) const {
  return value_of(seconds, devices, least_price_ * devices) >= last();
}

double PlanList::time_limit(double devices) const {
  const Value value = last();
  switch (objective_) {
    case Objective::kCost:
      return least_price_ > 0.0 ? value.first * 3600.0 / (least_price_ * devices) : INFINITY;
    case Objective::kDevices:
      return devices < value.first ? INFINITY : devices > value.first ? 0.0 : value.second;
    default:
      return value.first;
  }
}

void PlanList::keep(ParallelPlan plan, std::uint64_t item, std::uint64_t order) {
  const double price = price_per_hour(problem_, plan);
  const auto devices = static_cast<double>(plan.devices_used());
  plan.key = {
      value_of(plan.seconds_per_batch, devices, price).first, plan.seconds_per_batch, item, order};
  const auto at = std::upper_bound(
      best_.begin(), best_.end(), plan, [](const ParallelPlan& a, const ParallelPlan& b) {
        return a.key < b.key;
      });
  best_.insert(at, std::move(plan));
  if (best_.size() > top_k_) {
    best_.pop_back();
  }
}

}  // namespace berth::nest
