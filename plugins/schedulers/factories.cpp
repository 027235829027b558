// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "factories.hpp"

#include "gavel_lp_policies.hpp"
#include "gavel_queue_policies.hpp"
#include "gavel_scheduler.hpp"
#include "list_scheduler.hpp"
#include "pollux_scheduler.hpp"
#include "sia_scheduler.hpp"

namespace berth::schedulers {
namespace {

GavelOptions read_options(const Config& config) {
  if (config.flag("gavel_compatible")) {
    GavelOptions options = GavelOptions::gavel();
    options.shuffle_types = config.flag("shuffle_types");
    return options;
  }
  GavelOptions options;
  options.reset_interval_seconds = config.real("reset_interval_seconds");
  options.reset_when_drained = config.flag("reset_when_drained");
  options.initial_job_time_share = config.real("initial_job_time_share");
  options.worker_time_per_gpu = config.flag("worker_time_per_gpu");
  options.hold_without_allocation = config.flag("hold_without_allocation");
  options.work_conserving = config.flag("work_conserving");
  options.shuffle_types = config.flag("shuffle_types");
  options.sticky_previous_round_only = config.flag("sticky_previous_round_only");
  return options;
}

std::unique_ptr<ClusterScheduler> behind_gavel(std::unique_ptr<GavelPolicy> policy,
                                               const HostServices& host) {
  return std::make_unique<GavelScheduler>(
      std::move(policy), read_options(*host.config), static_cast<std::uint32_t>(host.seed));
}

}  // namespace

std::unique_ptr<ClusterScheduler> make_gavel_fifo(const HostServices& host) {
  return behind_gavel(std::make_unique<RandomTypeFifoPolicy>(static_cast<std::uint32_t>(host.seed),
                                                             host.config->flag("fifo_repaired")),
                      host);
}

std::unique_ptr<ClusterScheduler> make_gavel_fifo_perf(const HostServices& host) {
  return behind_gavel(std::make_unique<FastestFifoPolicy>(), host);
}

std::unique_ptr<ClusterScheduler> make_gavel_isolated(const HostServices& host) {
  return behind_gavel(std::make_unique<IsolatedPolicy>(), host);
}

template <Awareness awareness>
std::unique_ptr<ClusterScheduler> make_max_min(const HostServices& host) {
  return behind_gavel(std::make_unique<MaxMinFairnessPolicy>(awareness), host);
}

template <Awareness awareness>
std::unique_ptr<ClusterScheduler> make_makespan(const HostServices& host) {
  return behind_gavel(std::make_unique<MinTotalDurationPolicy>(awareness), host);
}

template <Awareness awareness>
std::unique_ptr<ClusterScheduler> make_ftf(const HostServices& host) {
  return behind_gavel(std::make_unique<FinishTimeFairnessPolicy>(awareness), host);
}

template std::unique_ptr<ClusterScheduler> make_max_min<Awareness::kTypes>(const HostServices&);
template std::unique_ptr<ClusterScheduler> make_max_min<Awareness::kAgnostic>(const HostServices&);
template std::unique_ptr<ClusterScheduler> make_makespan<Awareness::kTypes>(const HostServices&);
template std::unique_ptr<ClusterScheduler> make_makespan<Awareness::kAgnostic>(const HostServices&);
template std::unique_ptr<ClusterScheduler> make_ftf<Awareness::kTypes>(const HostServices&);
template std::unique_ptr<ClusterScheduler> make_ftf<Awareness::kAgnostic>(const HostServices&);

std::unique_ptr<ClusterScheduler> make_max_sum(const HostServices& host) {
  return behind_gavel(std::make_unique<MaxSumThroughputPolicy>(), host);
}

std::unique_ptr<ClusterScheduler> make_fifo(const HostServices& host) {
  ListOptions options;
  options.order = JobOrder::kArrival;
  options.type_rule = TypeRule::kMostFree;
  options.preempts = false;
  options.blocks = true;
  return std::make_unique<ListScheduler>(options, host.seed);
}

template <JobOrder order, TypeRule rule>
std::unique_ptr<ClusterScheduler> make_list(const HostServices& host) {
  ListOptions options;
  options.order = order;
  options.type_rule = rule;
  return std::make_unique<ListScheduler>(options, host.seed);
}

template std::unique_ptr<ClusterScheduler> make_list<JobOrder::kRemainingTime, TypeRule::kFastest>(
    const HostServices&);
template std::unique_ptr<ClusterScheduler>
make_list<JobOrder::kRemainingService, TypeRule::kFastest>(const HostServices&);
template std::unique_ptr<ClusterScheduler>
make_list<JobOrder::kAttainedService, TypeRule::kFastest>(const HostServices&);
template std::unique_ptr<ClusterScheduler> make_list<JobOrder::kRandom, TypeRule::kRandom>(
    const HostServices&);

std::unique_ptr<ClusterScheduler> make_tiresias(const HostServices& host) {
  ListOptions options;
  options.order = JobOrder::kTiresias;
  options.type_rule = TypeRule::kMostFree;
  options.queue_limits_gpu_seconds = {host.config->real("first_limit_gpu_seconds")};
  const double second = host.config->real("second_limit_gpu_seconds");
  if (second > options.queue_limits_gpu_seconds.front()) {
    options.queue_limits_gpu_seconds.push_back(second);
  }
  options.promote_knob = host.config->real("promote_knob");
  return std::make_unique<ListScheduler>(options, host.seed);
}

std::unique_ptr<ClusterScheduler> make_sia(const HostServices& host) {
  SiaOptions options;
  options.power = host.config->real("power");
  options.waiting_penalty = host.config->real("waiting_penalty");
  options.gap = host.config->real("gap");
  options.most_nodes = host.config->integer("most_nodes");
  return std::make_unique<SiaScheduler>(options);
}

std::unique_ptr<ClusterScheduler> make_pollux(const HostServices& host) {
  PolluxOptions options;
  options.population = static_cast<std::size_t>(host.config->integer("population"));
  options.generations = static_cast<std::size_t>(host.config->integer("generations"));
  options.change_factor = host.config->real("change_factor");
  return std::make_unique<PolluxScheduler>(options, host.seed);
}

}  // namespace berth::schedulers
