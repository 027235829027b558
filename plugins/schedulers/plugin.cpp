// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/plugin.hpp"

#include "factories.hpp"
#include "options.hpp"

using berth::ClusterScheduler;
using berth::offer;
namespace schedulers = berth::schedulers;
using schedulers::Awareness;
using schedulers::JobOrder;
using schedulers::TypeRule;

BERTH_PLUGIN(
    "schedulers",
    "0.1.0",
    offer<ClusterScheduler, schedulers::make_fifo>(
        "fifo", "YARN-CS: arrival order, no preemption, the head of the queue blocks.", {}),
    offer<ClusterScheduler, schedulers::make_gavel_fifo>(
        "gavel-fifo",
        "Gavel's FIFO: a random type with room, for good.",
        schedulers::kGavelFifoOptions),
    offer<ClusterScheduler, schedulers::make_gavel_fifo_perf>(
        "gavel-fifo-perf",
        "Gavel's FIFO on the fastest type with room.",
        schedulers::kGavelOptions),
    offer<ClusterScheduler, schedulers::make_gavel_isolated>(
        "gavel-isolated", "A 1/N share of every type for every job.", schedulers::kGavelOptions),
    offer<ClusterScheduler, schedulers::make_max_min<Awareness::kTypes>>(
        "gavel-max-min", "Max-min fairness over effective throughput.", schedulers::kGavelOptions),
    offer<ClusterScheduler, schedulers::make_max_min<Awareness::kAgnostic>>(
        "gavel-max-min-agnostic", "Max-min fairness over time.", schedulers::kGavelOptions),
    offer<ClusterScheduler, schedulers::make_makespan<Awareness::kTypes>>(
        "gavel-makespan",
        "Least total duration; proves the lower bound of TTD.",
        schedulers::kGavelOptions),
    offer<ClusterScheduler, schedulers::make_makespan<Awareness::kAgnostic>>(
        "gavel-makespan-agnostic",
        "Least total duration with one rate per job.",
        schedulers::kGavelOptions),
    offer<ClusterScheduler, schedulers::make_ftf<Awareness::kTypes>>("gavel-ftf",
                                                                     "Finish-time fairness.",
                                                                     schedulers::kGavelOptions),
    offer<ClusterScheduler, schedulers::make_ftf<Awareness::kAgnostic>>(
        "gavel-ftf-agnostic",
        "Finish-time fairness with one rate per job.",
        schedulers::kGavelOptions),
    offer<ClusterScheduler, schedulers::make_max_sum>("gavel-max-sum",
                                                      "Largest sum of throughputs.",
                                                      schedulers::kGavelOptions),
    offer<ClusterScheduler, schedulers::make_list<JobOrder::kRemainingTime, TypeRule::kFastest>>(
        "srtf", "Shortest remaining time first, preemptive.", {}),
    offer<ClusterScheduler, schedulers::make_list<JobOrder::kRemainingService, TypeRule::kFastest>>(
        "srsf", "Shortest remaining service (time x gang) first, preemptive.", {}),
    offer<ClusterScheduler, schedulers::make_list<JobOrder::kAttainedService, TypeRule::kFastest>>(
        "las", "Least attained service first, preemptive.", {}),
    offer<ClusterScheduler, schedulers::make_tiresias>(
        "tiresias",
        "Discretised two-dimensional least attained service (NSDI 2019).",
        schedulers::kTiresiasOptions),
    offer<ClusterScheduler, schedulers::make_sia>(
        "sia",
        "Sia-like, for fixed gangs: an integer program chooses every job's type (SOSP 2023).",
        schedulers::kSiaOptions),
    offer<ClusterScheduler, schedulers::make_pollux>(
        "pollux",
        "Pollux-like, for fixed gangs: a genetic search chooses machines (OSDI 2021).",
        schedulers::kPolluxOptions),
    offer<ClusterScheduler, schedulers::make_list<JobOrder::kRandom, TypeRule::kRandom>>(
        "random", "A new random order and random types every round.", {}))
