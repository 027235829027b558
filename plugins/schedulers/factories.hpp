// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

#include "berth/cluster_scheduler.hpp"
#include "berth/host_services.hpp"

#include "gavel_lp_policies.hpp"
#include "list_scheduler.hpp"

namespace berth::schedulers {

[[nodiscard]] std::unique_ptr<ClusterScheduler> make_gavel_fifo(const HostServices& host);
[[nodiscard]] std::unique_ptr<ClusterScheduler> make_gavel_fifo_perf(const HostServices& host);
[[nodiscard]] std::unique_ptr<ClusterScheduler> make_gavel_isolated(const HostServices& host);

template <Awareness awareness>
[[nodiscard]] std::unique_ptr<ClusterScheduler> make_max_min(const HostServices& host);
template <Awareness awareness>
[[nodiscard]] std::unique_ptr<ClusterScheduler> make_makespan(const HostServices& host);
template <Awareness awareness>
[[nodiscard]] std::unique_ptr<ClusterScheduler> make_ftf(const HostServices& host);
[[nodiscard]] std::unique_ptr<ClusterScheduler> make_max_sum(const HostServices& host);

[[nodiscard]] std::unique_ptr<ClusterScheduler> make_fifo(const HostServices& host);
template <JobOrder order, TypeRule rule>
[[nodiscard]] std::unique_ptr<ClusterScheduler> make_list(const HostServices& host);
[[nodiscard]] std::unique_ptr<ClusterScheduler> make_tiresias(const HostServices& host);
[[nodiscard]] std::unique_ptr<ClusterScheduler> make_sia(const HostServices& host);
[[nodiscard]] std::unique_ptr<ClusterScheduler> make_pollux(const HostServices& host);

}  // namespace berth::schedulers
