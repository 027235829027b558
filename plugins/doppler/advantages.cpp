// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "advantages.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace berth::doppler {
namespace {

constexpr double kClip = 3.0;
constexpr double kWindow = 64.0;
constexpr double kSmallGroup = 4.0;
constexpr double kReferenceUnits = 1e10;

}  // namespace

void Advantages::assess(std::span<RolloutOutcome> outcomes) {
  if (baseline_ == Baseline::kRunMean) {
    for (RolloutOutcome& outcome : outcomes) {
      assess_by_run(outcome);
    }
    return;
  }
  std::set<std::uint32_t> problems;
  for (const RolloutOutcome& outcome : outcomes) {
    problems.insert(outcome.spec.problem);
  }
  for (const std::uint32_t problem : problems) {
    assess_group(outcomes, problem);
  }
}

void Advantages::assess_group(std::span<RolloutOutcome> outcomes, std::uint32_t problem) {
  Running& running = running_[problem];
  double count = 0.0;
  double sum = 0.0;
  double square = 0.0;
  for (const RolloutOutcome& outcome : outcomes) {
    if (outcome.spec.problem != problem || outcome.status != RolloutStatus::kOk) {
      continue;
    }
    count += 1.0;
    sum += outcome.makespan;
    // An exponential window once it is full, a plain mean before.
    running.count = std::min(running.count + 1.0, kWindow);
    const double off = outcome.makespan - running.mean;
    running.mean += off / running.count;
    running.square += (off * off - running.square) / running.count;
  }
  double mean = running.mean;
  double spread = std::sqrt(running.square);
  if (count >= kSmallGroup) {
    mean = sum / count;
    for (const RolloutOutcome& outcome : outcomes) {
      if (outcome.spec.problem == problem && outcome.status == RolloutStatus::kOk) {
        square += (outcome.makespan - mean) * (outcome.makespan - mean);
      }
    }
    spread = std::sqrt(square / count);
  }
  for (RolloutOutcome& outcome : outcomes) {
    if (outcome.spec.problem != problem) {
      continue;
    }
    if (outcome.status != RolloutStatus::kOk) {
      outcome.advantage = -kClip;
      continue;
    }
    const double off = mean - outcome.makespan;
    outcome.advantage = spread > 0.0 ? std::clamp(off / spread, -kClip, kClip) : 0.0;
  }
}

void Advantages::assess_by_run(RolloutOutcome& outcome) {
  if (outcome.status != RolloutStatus::kOk) {
    outcome.advantage = 0.0;
    return;
  }
  Running& running = running_[outcome.spec.problem];
  const double cost = outcome.makespan / kReferenceUnits;
  running.count += 1.0;
  running.mean += (cost - running.mean) / running.count;
  outcome.advantage = running.mean - cost;
}

void Advantages::save(StateWriter& writer) const {
  std::vector<double> rows;
  for (const auto& [problem, running] : running_) {
    rows.insert(rows.end(),
                {static_cast<double>(problem), running.count, running.mean, running.square});
  }
  const std::int64_t shape[] = {static_cast<std::int64_t>(running_.size()), 4};
  writer.tensor("baseline", shape, std::span<const double>(rows));
}

void Advantages::load(const StateReader& reader) {
  const std::vector<std::int64_t> shape = reader.shape("baseline");
  const std::int64_t problems = shape.empty() ? 0 : shape[0];
  std::vector<double> rows(static_cast<std::size_t>(problems) * 4);
  const std::int64_t expected[] = {problems, 4};
  reader.tensor("baseline", expected, std::span<double>(rows));
  running_.clear();
  for (std::size_t i = 0; i < rows.size(); i += 4) {
    running_[static_cast<std::uint32_t>(rows[i])] = {rows[i + 1], rows[i + 2], rows[i + 3]};
  }
}

}  // namespace berth::doppler
