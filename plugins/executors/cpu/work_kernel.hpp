// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>

namespace berth::executors {

/// Stands for an op of which only the duration is known: arithmetic on registers, of an amount
/// that took that long on an idle core when it was calibrated. Slower when the core is.
class WorkKernel {
 public:
  /// Measures the calling thread's core, about 20 ms.
  WorkKernel();

  [[nodiscard]] std::uint64_t rounds_for(double seconds) const noexcept;
  /// Returns early when `cancelled` is set.
  static void run(std::uint64_t rounds, const std::atomic<bool>& cancelled) noexcept;

 private:
  double rounds_per_second_ = 0.0;
};

}  // namespace berth::executors
