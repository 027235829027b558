// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "option_row.hpp"

namespace berth::learned {

using doppler::choice;
using doppler::integer;
using doppler::real;

// A number of -1 and the choice "preset" stand for the preset's value, in brackets.
inline constexpr berth_option_spec kPreset =
    choice("preset",
           "berth",
           "berth,reference",
           "Where unset options come from: Berth's choice, or the public reimplementation.");
inline constexpr berth_option_spec kFeatures =
    choice("features",
           "preset",
           "preset,scaled,raw",
           "Columns of costs and ids: scaled over the graph, or as they are (reference). [berth "
           "scaled, reference raw]");
inline constexpr berth_option_spec kExplore =
    choice("explore",
           "preset",
           "preset,sample,eps-greedy",
           "Actions: sampled, or arg-max with uniform ones at rate eps (reference). [berth sample, "
           "reference eps-greedy]");
inline constexpr berth_option_spec kDiscount =
    real("discount",
         "-1",
         -1,
         1,
         "Discount per step of the terminal reward (reference: 0.99). [berth 1, reference 0.99]");
inline constexpr berth_option_spec kBaseline =
    choice("baseline",
           "preset",
           "preset,group,run-mean",
           "Advantage: by spread within the update, or unscaled against the mean of the run "
           "(reference). [berth group, reference run-mean]");
inline constexpr berth_option_spec kMerge =
    choice("merge_empty_devices",
           "preset",
           "preset,true,false",
           "Treat empty exchangeable devices as one. [berth true, reference false]");
inline constexpr berth_option_spec kEps = real(
    "eps",
    "-1",
    -1,
    10,
    "Exploration at the start of stages II and III (eps, temperature). [berth 1, reference 0.2]");
inline constexpr berth_option_spec kFinalEps =
    real("final_eps",
         "-1",
         -1,
         10,
         "Exploration at the end of stages II and III. [berth 1, reference 0]");
inline constexpr berth_option_spec kEntropy = real(
    "entropy_weight", "-1", -1, 1000, "Weight of the entropy bonus. [berth 0.001, reference 0.01]");
inline constexpr berth_option_spec kClip =
    real("clip_norm",
         "-1",
         -1,
         1e6,
         "Largest norm of a step's mean gradient, 0 for none. [berth 1, reference 0]");
inline constexpr berth_option_spec kSamples =
    integer("samples", "64", 0, 1000000, "Sampled rollouts of a placement without a budget.");

inline constexpr berth_option_spec kPlacetoOptions[] = {
    kPreset,
    choice("message_passing",
           "every-step",
           "every-step,once",
           "Pass messages at every step, as published, or once an episode."),
    choice("parallel",
           "preset",
           "preset,set,constant",
           "The ops parallel to the current one: gathered, or a constant (reference). [berth set, "
           "reference constant]"),
    integer("rounds", "3", 1, 64, "Rounds of message passing in each direction."),
    integer("head", "32", 1, 1024, "Hidden width of the head."),
    kFeatures,
    kExplore,
    kDiscount,
    kBaseline,
    kMerge,
    real("learning_rate",
         "-1",
         -1,
         1,
         "Adam's learning rate at the start of a stage. [berth 0.003, reference 0.0001]"),
    real("final_learning_rate",
         "-1",
         -1,
         1,
         "Adam's learning rate at the end of a stage. [berth 0.0003, reference 0.0001]"),
    kEps,
    kFinalEps,
    kEntropy,
    kClip,
    kSamples,
};

inline constexpr berth_option_spec kGdpOptions[] = {
    kPreset,
    integer("hidden", "64", 1, 1024, "Width of the rows."),
    integer("heads", "4", 1, 64, "Heads of the attention; they divide the width."),
    integer("segment", "8", 1, 4096, "Ops that attend to each other and to the segment before."),
    integer("most_inputs", "8", 1, 1024, "Columns for the ids of an op's inputs; more are cut."),
    choice("single_neighbour",
           "preset",
           "preset,row,zeros",
           "What an op with one neighbour gathers: its row, or zeros (reference). [berth row, "
           "reference zeros]"),
    kFeatures,
    kExplore,
    kDiscount,
    kBaseline,
    kMerge,
    real("learning_rate",
         "-1",
         -1,
         1,
         "Adam's learning rate at the start of a stage. [berth 0.001, reference 0.0001]"),
    real("final_learning_rate",
         "-1",
         -1,
         1,
         "Adam's learning rate at the end of a stage. [berth 0.0001, reference 0.0001]"),
    kEps,
    kFinalEps,
    kEntropy,
    kClip,
    kSamples,
};

}  // namespace berth::learned
