// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "berth/export.hpp"
#include "berth/placement.hpp"
#include "berth/trace.hpp"

namespace berth {
inline namespace abi_v1 {

/// Plays placements of one problem: `berth.executor/1`. One object serves one thread.
class BERTH_API Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor();

  /// Time from first dispatch to last completion, in the problem's time units.
  /// @throws InputError if the placement is not legal for the problem.
  [[nodiscard]] virtual double makespan(const Placement& placement) = 0;

  /// The whole execution of one placement.
  [[nodiscard]] virtual Trace trace(const Placement& placement) = 0;
};

}  // namespace abi_v1
}  // namespace berth
