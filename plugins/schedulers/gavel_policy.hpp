// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/cluster_scheduler.hpp"

namespace berth::schedulers {

/// Shares of wall time: X[row][type] in [0, 1], a row per active job.
struct Allocation {
  std::size_t num_types = 0;
  std::vector<double> share;  ///< [rows * num_types].

  Allocation() = default;
  Allocation(std::size_t rows, std::size_t types) : num_types(types), share(rows * types, 0.0) {}
  [[nodiscard]] double& at(std::size_t row, std::size_t type) {
    return share[row * num_types + type];
  }
  [[nodiscard]] double at(std::size_t row, std::size_t type) const {
    return share[row * num_types + type];
  }
};

/// A policy of Gavel (OSDI'20): what share of its time each job should spend on
/// each type.
class GavelPolicy {
 public:
  GavelPolicy() = default;
  GavelPolicy(const GavelPolicy&) = delete;
  GavelPolicy& operator=(const GavelPolicy&) = delete;
  virtual ~GavelPolicy() = default;

  /// One row per job of `context.jobs`, in that order.
  [[nodiscard]] virtual Allocation solve(const RoundContext& context) = 0;

  /// A lower bound of the total duration of any schedule, where the policy's
  /// program gives one.
  [[nodiscard]] virtual std::optional<double> duration_bound(const Cluster& /*cluster*/,
                                                             std::span<const JobSpec> /*jobs*/,
                                                             const GangModel& /*gangs*/) const {
    return std::nullopt;
  }

  /// FIFO policies leave accelerators idle rather than run a job without a
  /// share.
  [[nodiscard]] virtual bool skips_zero_priority() const { return false; }
};

/// Types in order of their names, as Gavel sums over columns.
[[nodiscard]] std::vector<std::size_t> types_by_name(const Cluster& cluster);

/// Xiso of Gavel: cap_j / jobs / gang, rows with a sum > 1 divided by it.
void isolated_row(const Cluster& cluster,
                  std::size_t jobs,
                  std::uint32_t gang,
                  std::span<double> row);

}  // namespace berth::schedulers
