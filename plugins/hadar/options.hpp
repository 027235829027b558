// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/plugin_abi.h"

namespace berth::hadar {

/// Options of `hadar`. "preset" decides where an option says so.
inline constexpr berth_option_spec kHadarOptions[] = {
    {"preset",
     BERTH_OPTION_CHOICE,
     "jct",
     0,
     0,
     "",
     "jct,ttd,paper_jct,paper_ttd",
     "jct: least mean completion time; ttd: least total duration; paper_*: "
     "prices, greedy, no "
     "filling."},
    {"utility",
     BERTH_OPTION_CHOICE,
     "preset",
     0,
     0,
     "",
     "preset,inv_jct,inv_slowdown,weighted_slowdown,linear,throughput,ftf,inv_"
     "remaining,makespan",
     "What a job is worth when it completes x seconds after its arrival."},
    {"prices",
     BERTH_OPTION_CHOICE,
     "preset",
     0,
     0,
     "",
     "preset,on,off",
     "Exponential prices, or everything free of charge."},
    {"price_pool",
     BERTH_OPTION_CHOICE,
     "machine",
     0,
     0,
     "",
     "machine,type",
     "What has a price of its own: a machine's accelerators of a type, or all "
     "of a type."},
    {"umax",
     BERTH_OPTION_CHOICE,
     "per_gpu",
     0,
     0,
     "",
     "per_gpu,per_gang",
     "Upper price: best utility per accelerator, or per gang (prices mixed "
     "gangs out too)."},
    {"eta", BERTH_OPTION_REAL, "1", 0, 1e12, "", "", "Scale of the lower price; 0: as proven."},
    {"horizon_seconds",
     BERTH_OPTION_REAL,
     "0",
     0,
     1e12,
     "s",
     "",
     "T of the prices; 0: now + 3 x remaining GPU-seconds / GPUs."},
    {"allocation",
     BERTH_OPTION_CHOICE,
     "preset",
     0,
     0,
     "",
     "preset,greedy,exact",
     "Greedy by utility density, or exact dynamic programming over free "
     "accelerators by type."},
    {"state_limit",
     BERTH_OPTION_INTEGER,
     "200000",
     1,
     1e9,
     "states",
     "",
     "Most states of the exact allocation; beyond it is an error."},
    {"stickiness",
     BERTH_OPTION_REAL,
     "0",
     0,
     10,
     "",
     "",
     "Part of its utility that a job gains by keeping its accelerators."},
    {"fill",
     BERTH_OPTION_CHOICE,
     "preset",
     0,
     0,
     "",
     "preset,on,off",
     "Start jobs on accelerators that the prices left idle."},
    {"replan_rounds",
     BERTH_OPTION_INTEGER,
     "0",
     0,
     100000,
     "rounds",
     "",
     "Keep a decision so long if no job arrives or finishes; 0: as the "
     "preset."},
};

/// Options of `hadare`.
inline constexpr berth_option_spec kHadareOptions[] = {
    {"copies",
     BERTH_OPTION_INTEGER,
     "0",
     0,
     100000,
     "copies",
     "",
     "Most copies of a job at once; 0: as many as there are nodes; 1: no forking."},
};

}  // namespace berth::hadar
