// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stage_plan.hpp"

#include <algorithm>
#include <numeric>

namespace berth::launcher {

std::string_view name_of(Stage stage) noexcept {
  constexpr std::string_view kNames[] = {"imitation", "simulation", "execution"};
  return kNames[static_cast<std::size_t>(stage)];
}

std::uint64_t StagePlan::updates() const noexcept {
  return std::accumulate(
      parts_.begin(), parts_.end(), std::uint64_t{0}, [](std::uint64_t sum, const StagePart& part) {
        return sum + part.updates;
      });
}

bool StagePlan::has(Stage stage) const noexcept {
  return std::ranges::any_of(
      parts_, [stage](const StagePart& part) { return part.stage == stage && part.updates > 0; });
}

StagePlan StagePlan::scaled_to(std::uint64_t updates) const {
  const std::uint64_t before = this->updates();
  std::vector<StagePart> parts = parts_;
  std::vector<double> missing(parts.size(), 0.0);
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double exact = before == 0
                             ? 0.0
                             : static_cast<double>(parts[i].updates) *
                                   static_cast<double>(updates) / static_cast<double>(before);
    const auto least = static_cast<std::uint64_t>(parts[i].updates > 0 ? 1 : 0);
    const std::uint64_t share = std::max(least, static_cast<std::uint64_t>(exact));
    parts[i].updates = std::min(share, updates - given);
    given += parts[i].updates;
    missing[i] = exact - static_cast<double>(parts[i].updates);
  }
  while (given < updates && !parts.empty()) {
    const auto most = std::ranges::max_element(missing);
    ++parts[static_cast<std::size_t>(most - missing.begin())].updates;
    *most -= 1.0;
    ++given;
  }
  return StagePlan(std::move(parts));
}

StagePlan::Position StagePlan::at(std::uint64_t update) const noexcept {
  for (const StagePart& part : parts_) {
    if (update < part.updates) {
      const std::uint64_t last = part.updates - 1;
      return {part.stage,
              last == 0 ? 0.0 : static_cast<double>(update) / static_cast<double>(last)};
    }
    update -= part.updates;
  }
  return {};
}

}  // namespace berth::launcher
