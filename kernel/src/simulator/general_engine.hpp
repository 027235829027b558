// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include "berth/execution_model.hpp"
#include "berth/ids.hpp"
#include "berth/trace.hpp"

namespace berth::internal {

/// An engine for every discipline and number of streams, which can also record.
class GeneralEngine {
 public:
  GeneralEngine() = default;
  GeneralEngine(const GeneralEngine&) = delete;
  GeneralEngine& operator=(const GeneralEngine&) = delete;
  virtual ~GeneralEngine() = default;

  /// Adds to `trace` unless null. +infinity for a static order that deadlocks.
  /// @pre a legal placement; discipline is not kAuto; `order` has one value per op or none, then
  ///      all values are equal; the ops of `trace` are as many as the graph's.
  [[nodiscard]] virtual double run(std::span<const DeviceId> device,
                                   std::span<const double> order,
                                   Discipline discipline,
                                   Trace* trace) = 0;

  /// Finish times of the ops of the last run, added up.
  [[nodiscard]] virtual double finish_sum() const noexcept = 0;

  /// What the ops that the last run left over wait for.
  [[nodiscard]] virtual std::string explain_deadlock() const = 0;
};

}  // namespace berth::internal
