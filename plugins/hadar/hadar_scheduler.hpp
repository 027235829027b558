// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/cluster_scheduler.hpp"
#include "berth/host_services.hpp"

#include "allocation.hpp"

namespace berth::hadar {

enum class AllocationKind : std::uint8_t { kGreedy, kExact };

struct HadarOptions {
  UtilityKind utility = UtilityKind::kInvJct;
  PriceOptions prices;
  AllocationKind allocation = AllocationKind::kGreedy;
  AllocationOptions settings;
  double horizon_seconds = 0.0;     ///< 0: now + 3 x remaining GPU-seconds / GPUs.
  std::uint32_t replan_rounds = 1;  ///< Decide anew after so many rounds if nothing changed.
};

/// Hadar (IPDPS'24): every round, jobs whose best payoff = utility - priced
/// demand is positive start. Source: the paper; what differs from
/// the paper stands in the README.
class HadarScheduler final : public ClusterScheduler {
 public:
  explicit HadarScheduler(const HadarOptions& options) : options_(options) {}

  [[nodiscard]] RoundSchedule schedule(const RoundContext& context) override;
  [[nodiscard]] std::string explain(JobId job) const override;

  /// Sums over rounds of the competitive proof: primal (utilities of jobs
  /// started for their payoff), dual (D0 + sum mu + price growth), the ratio
  /// reached, alpha and 2 alpha_c.
  [[nodiscard]] std::vector<SchedulerFigure> figures() const override;

 private:
  [[nodiscard]] bool may_keep(const RoundContext& context) const;
  [[nodiscard]] double horizon(const RoundContext& context, std::span<const JobView> jobs) const;
  void certify(const RoundProblem& problem,
               const PriceBook& opening,
               const std::vector<Decision>& decisions);

  HadarOptions options_;
  RoundSchedule last_;
  std::uint64_t decided_at_ = 0;  // round
  bool decided_ = false;

  double primal_ = 0.0;
  double dual_ = 0.0;
  double worst_ratio_ = 0.0;
  double alpha_ = 1.0;
  double alpha_c_ = 1.0;
  std::uint64_t rounds_decided_ = 0;

  // For explain(): what was decided last, in order, and who waited.
  struct Reason {
    JobId job{};
    std::uint32_t gang = 1;
    double utility = 0.0;
    double charge = 0.0;
    bool by_filling = false;
  };
  std::vector<Reason> reasons_;
  struct Waiting {
    JobId job{};
    std::uint32_t gang = 1;
    double best_utility = 0.0;
    std::size_t position = 0;
  };
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> left_;     // accelerators by type
  std::vector<double> closing_prices_;  // least price by type at the end of the round
  std::vector<std::string> type_names_;
};

[[nodiscard]] std::unique_ptr<ClusterScheduler> make_hadar(const HostServices& host);

}  // namespace berth::hadar
