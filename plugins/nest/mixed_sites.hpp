// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mixed_search.hpp"

namespace berth::nest {

/// A stage's configuration, by its place in the task, and replicas.
struct MixedChoice {
  std::size_t index = 0;  ///< Into MixedTask::configurations.
  std::size_t data = 1;
  std::size_t devices = 1;  ///< Of all replicas.
  double waves = 1.0;       ///< Micro-batches of the busiest replica.
};

/// What a mixed pipeline costs by where a stage begins in the order of devices; filled on demand.
class MixedSites {
 public:
  explicit MixedSites(const MixedTask& task);

  [[nodiscard]] std::size_t unit() const noexcept { return unit_; }
  [[nodiscard]] const std::vector<MixedChoice>& choices() const noexcept { return choices_; }

  /// Collectives, memory and classes of a choice from the `used`-th device on; links are none.
  [[nodiscard]] const Position& at(std::size_t used, std::size_t choice);

  /// The message between a stage of `above`, from device `used` on, and one of `below` that ends
  /// there.
  [[nodiscard]] AffineCost link(std::size_t used, std::size_t below, std::size_t above);

  /// The highest level at which two devices begin .. end - 1 of the order meet.
  [[nodiscard]] std::size_t widest_level(std::size_t begin, std::size_t end) const;

  /// Devices of replica r of a choice that begins at `used`.
  [[nodiscard]] std::vector<std::uint32_t> block(std::size_t used,
                                                 std::size_t choice,
                                                 std::size_t replica) const;

 private:
  void make_choices();
  [[nodiscard]] std::size_t link_level(std::size_t used,
                                       std::size_t below,
                                       std::size_t above) const;

  const MixedTask& task_;
  std::size_t unit_ = 1;
  std::vector<MixedChoice> choices_;
  std::vector<std::optional<Position>> positions_;  // [unit x choice]
  std::vector<std::uint8_t> link_levels_;           // [unit x choice x choice]; kUnknown
  std::vector<std::vector<std::size_t>>
      crossings_;  // [level][k] neighbours below k that meet there
};

}  // namespace berth::nest
