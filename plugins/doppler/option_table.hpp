// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/plugin_abi.h"

namespace berth::doppler {
namespace detail {

constexpr berth_option_spec integer(
    const char* name, const char* value, double least, double most, const char* help) {
  return {name, BERTH_OPTION_INTEGER, value, least, most, "", "", help};
}
constexpr berth_option_spec real(
    const char* name, const char* value, double least, double most, const char* help) {
  return {name, BERTH_OPTION_REAL, value, least, most, "", "", help};
}
constexpr berth_option_spec choice(const char* name,
                                   const char* value,
                                   const char* choices,
                                   const char* help) {
  return {name, BERTH_OPTION_CHOICE, value, 0, 0, "", choices, help};
}

}  // namespace detail

using detail::choice;
using detail::integer;
using detail::real;

/// The options of the plugin. A number of -1 and the choice "preset" stand for the preset's value.
inline constexpr berth_option_spec kOptions[] = {
    choice("preset",
           "berth",
           "berth,parity,reference",
           "Where unset options come from: Berth's choice; the reference's sizes and schedule with "
           "its defects corrected; the reference as coded."),
    integer("hidden", "-1", -1, 1024, "Width of the embeddings."),
    integer("edge_hidden", "-1", -1, 1024, "Hidden width of the edge network."),
    integer("rounds", "-1", -1, 64, "Rounds of message passing."),
    integer("head", "-1", -1, 1024, "Hidden width of the heads."),
    integer("affinity", "-1", -1, 256, "Width of PLC's pairwise term, 0 for none."),
    choice(
        "policy",
        "both",
        "both,sel,plc,joint",
        "What is learned: both; SEL with the earliest device; PLC with the longest path first; one "
        "policy over all pairs of an op and a device."),
    choice("teacher",
           "critical-path",
           "critical-path,search",
           "Whom the imitation stage follows: CRITICAL PATH, or local search from the rollout."),
    choice("path_rows", "preset", "preset,node,dfs", "Rows of the path sums (defect D2: dfs)."),
    choice("timeline",
           "preset",
           "preset,est,load",
           "Estimated start of an op: its earliest start, or the device's load (defect D3)."),
    choice("explore",
           "preset",
           "preset,sample,eps-greedy",
           "Actions: sampled, or arg-max with uniform ones at rate eps (defect D7)."),
    choice("reverse_arc",
           "preset",
           "preset,edge,own",
           "Cost on the arc against an edge: the edge's, or the op's own (defect D8)."),
    choice("t_level",
           "preset",
           "preset,producer,own",
           "Output cost in the t-level recursion: the producer's, or the op's own (defect D9)."),
    real("discount", "-1", -1, 1, "Discount per step of the terminal reward (defect D10: 0.99)."),
    choice("baseline",
           "preset",
           "preset,group,run-mean",
           "Advantage: by spread within the update, or unscaled against the mean of the run "
           "(defect D11)."),
    choice("timeline_type",
           "preset",
           "preset,double,float32",
           "Arithmetic of the timeline (defect D13: float32)."),
    choice("lr_decay",
           "preset",
           "preset,linear,none",
           "Whether learning rates decay within a stage (defect D1: none)."),
    choice("merge_empty_devices",
           "preset",
           "preset,true,false",
           "Treat empty exchangeable devices as one action."),
    real("imitation_learning_rate", "-1", -1, 1, "Adam's learning rate in stage I."),
    real("learning_rate", "-1", -1, 1, "Adam's learning rate at the start of stages II and III."),
    real("final_learning_rate", "-1", -1, 1, "Adam's learning rate at the end of stages II, III."),
    real("imitation_eps", "-1", -1, 10, "Exploration at the start of stage I (eps, temperature)."),
    real("eps", "-1", -1, 10, "Exploration at the start of stages II and III."),
    real("final_eps", "-1", -1, 10, "Exploration at the end of stages II and III."),
    real("policy_weight", "-1", -1, 1000, "Weight of REINFORCE in stages II and III."),
    real("refined_weight", "-1", -1, 1000, "Pull towards refined rollouts of positive advantage."),
    real("elite_weight", "-1", -1, 1000, "Pull towards the best known placement."),
    real("entropy_weight", "-1", -1, 1000, "Weight of the entropy bonus in stages II and III."),
    real("clip_norm", "-1", -1, 1e6, "Largest norm of a step's mean gradient, 0 for none."),
    real("guided", "-1", -1, 1, "Share of rollouts that replace a region of the best placement."),
    integer("refine_simulations",
            "-1",
            -1,
            1000000,
            "Simulations of local search after each rollout of stages II and III."),
    real("refine_temperature",
         "0.002",
         0,
         1,
         "First temperature of that local search, as a share of the makespan; 0: only improve."),
    real("deep", "-1", -1, 0.25, "Share of those rollouts whose local search is deep."),
    integer("deep_simulations", "20000", 0, 10000000, "Simulations of a deep local search."),
    real("deep_temperature", "0.015", 0, 1, "Its first temperature, as a share of the makespan."),
    real("sel_temperature", "-1", -1, 10, "Temperature of SEL, relative to that of PLC."),
    integer(
        "search_simulations", "1000", 0, 1000000, "The same for each rollout of teacher=search."),
    integer("samples", "64", 0, 1000000, "Sampled rollouts of a placement without a budget."),
    {"recall",
     BERTH_OPTION_FLAG,
     "true",
     0,
     0,
     "",
     "",
     "Placing a graph that the campaign held starts from the best placement it knew."},
};

}  // namespace berth::doppler
