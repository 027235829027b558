// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/problem.hpp"
#include "berth/trace.hpp"

#include "calibration.hpp"

namespace berth::launcher {

/// Collects what the traces of real runs say of ops and transfers.
class RunSamples {
 public:
  explicit RunSamples(const PlacementProblem& problem);

  /// A run in which the devices worked side by side.
  void add(const Trace& trace);

  /// A run with all on one device: what lies between its ops is the dispatcher's.
  void add_alone(const Trace& trace);

  /// Times of ops, rates and links of `found`, and what is told of them.
  void finish(Calibration& found) const;

 private:
  void add_ops(const Trace& trace, std::vector<std::vector<double>>& samples) const;
  [[nodiscard]] const std::vector<double>& of_op(std::size_t row) const;
  [[nodiscard]] double edge_bytes(const TransferInterval& transfer) const;
  void find_runs(Calibration& found) const;
  void find_slowdown(Calibration& found) const;
  void find_variation(Calibration& found) const;
  void fit_rates(Calibration& found) const;

  const PlacementProblem& problem_;
  std::size_t devices_;
  std::vector<std::vector<double>> alone_;     ///< [ops * devices] seconds, the others at rest.
  std::vector<std::vector<double>> beside_;    ///< [ops * devices] seconds, all at work.
  std::vector<std::vector<OpInterval>> runs_;  ///< [runs][ops] of those side by side, in seconds.
  std::vector<double> bytes_;
  std::vector<double> transfer_seconds_;
  std::vector<double> gaps_;
};

}  // namespace berth::launcher
