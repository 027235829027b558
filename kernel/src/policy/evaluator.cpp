// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/evaluator.hpp"

#include <chrono>

namespace berth {
inline namespace abi_v1 {
namespace {

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Evaluator::Evaluator(const PlacementProblem& problem, SearchBudget budget)
    : problem_(&problem),
      simulator_(problem),
      budget_(budget),
      start_seconds_(now_seconds()),
      lower_bound_(problem.lower_bound) {}

double Evaluator::operator()(std::span<const DeviceId> device, std::span<const double> order) {
  ++simulations_;
  const double makespan = simulator_.makespan(device, order);
  if (makespan < best_makespan_) {
    best_makespan_ = makespan;
    best_.device.assign(device.begin(), device.end());
    best_.order.assign(order.begin(), order.end());
  }
  return makespan;
}

bool Evaluator::exhausted() const {
  return (budget_.simulations > 0 && simulations_ >= budget_.simulations) ||
         (budget_.seconds > 0.0 && elapsed_seconds() >= budget_.seconds) ||
         best_makespan_ <= lower_bound_;
}

double Evaluator::elapsed_seconds() const {
  return now_seconds() - start_seconds_;
}

}  // namespace abi_v1
}  // namespace berth
