// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "berth/evaluator.hpp"

namespace berth::baselines {

/// Exact search over devices alone, each complete assignment simulated without an order: for
/// disciplines and execution models that a schedule search does not cover.
///
/// Ops are assigned in topological order; of interchangeable devices that are still empty only the
/// first is tried. A branch is cut when the load of a device, or the longest path with the
/// transfers between assigned ops (free where the model is not `delay`), reaches the evaluator's
/// best.
class DeviceEnumeration {
 public:
  explicit DeviceEnumeration(Evaluator& evaluator);

  /// @return true if completed: evaluator.best() is the best there is without an order.
  [[nodiscard]] bool run(const std::function<bool()>& stop);

 private:
  void visit(std::size_t depth);
  [[nodiscard]] bool worse(double bound) const noexcept;

  Evaluator* evaluator_;
  const std::function<bool()>* stop_ = nullptr;
  bool stopped_ = false;
  bool transfers_count_;
  std::vector<std::uint32_t> group_;
  std::vector<double> tail_;         ///< [ops] least time from an op's end to the graph's end
  std::vector<double> finish_;       ///< [ops] least finish of assigned ops
  std::vector<double> load_;         ///< [devices]
  std::vector<double> room_;         ///< [devices] bytes left
  std::vector<std::size_t> ops_on_;  ///< [devices]
  std::vector<DeviceId> device_;
};

}  // namespace berth::baselines
