// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/cluster_scheduler.hpp"
#include "berth/host_services.hpp"

namespace berth::hadar {

/// HadarE (arXiv 2503.10918): jobs are forked, and copies train at once on
/// separate nodes. Each slot the job that can end first takes its fastest free
/// node, and so on; nodes that are left join the job that would end last. For
/// simulate_forked(), which lets a job be named once per node.
class HadareScheduler final : public ClusterScheduler {
 public:
  /// @param most_copies Copies of a job at once; 0: as many as there are nodes.
  explicit HadareScheduler(std::size_t most_copies) : most_copies_(most_copies) {}

  [[nodiscard]] RoundSchedule schedule(const RoundContext& context) override;
  [[nodiscard]] std::string explain(JobId job) const override;

  /// The divisible-load bound: min T with sum_i X_ji y_ji = S_j and sum_j y_ji
  /// <= T, by its dual; with arrivals also the time from the first arrival until each
  /// job could end on all nodes together.
  [[nodiscard]] std::optional<double> lower_bound_seconds(const Cluster& nodes,
                                                          std::span<const JobSpec> jobs,
                                                          const GangModel& gangs) const override;

 private:
  /// What a job got in the last slot.
  struct Served {
    JobId job{};
    std::size_t copies = 0;
    double rate = 0.0;
    double remaining_steps = 0.0;
  };

  std::size_t most_copies_;
  std::vector<Served> last_;  // shortest job first
};

[[nodiscard]] std::unique_ptr<ClusterScheduler> make_hadare(const HostServices& host);

}  // namespace berth::hadar
