// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "berth/trainable_policy.hpp"

namespace berth::launcher {

struct StagePart {
  Stage stage = Stage::kSimulation;
  std::uint64_t updates = 0;

  bool operator==(const StagePart&) const = default;
};

/// "imitation", "simulation", "execution".
[[nodiscard]] std::string_view name_of(Stage stage) noexcept;

/// The stages of a campaign, one after the other.
class StagePlan {
 public:
  explicit StagePlan(std::vector<StagePart> parts) : parts_(std::move(parts)) {}

  [[nodiscard]] std::uint64_t updates() const noexcept;
  /// True if a part of this stage has updates.
  [[nodiscard]] bool has(Stage stage) const noexcept;
  [[nodiscard]] std::span<const StagePart> parts() const noexcept { return parts_; }

  /// The same stages with `updates` updates in all, split in proportion by largest remainder (ties
  /// to the earlier); a stage that had updates keeps at least one while there are enough.
  [[nodiscard]] StagePlan scaled_to(std::uint64_t updates) const;

  struct Position {
    Stage stage = Stage::kSimulation;
    double progress = 0.0;  ///< 0 at the stage's first update, 1 at its last.
  };
  /// @pre update < updates()
  [[nodiscard]] Position at(std::uint64_t update) const noexcept;

 private:
  std::vector<StagePart> parts_;
};

}  // namespace berth::launcher
