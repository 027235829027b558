// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <limits>

#include "mix.hpp"

namespace berth::launcher {
namespace {

constexpr double kMost = 1e12;

constexpr std::array kMixOptions = {
    berth_option_spec{"scheduler",
                      BERTH_OPTION_TEXT,
                      "hadare",
                      0,
                      0,
                      "",
                      "",
                      "Who decides: hadare forks jobs; hadar, fifo, ... give each job one node."},
    berth_option_spec{"seed",
                      BERTH_OPTION_INTEGER,
                      "1",
                      0,
                      4294967295.0,
                      "",
                      "",
                      "Of the first weights and the order of samples."},
    berth_option_spec{"slot_seconds",
                      BERTH_OPTION_REAL,
                      "0",
                      0,
                      1e6,
                      "s",
                      "",
                      "Length of a slot by the clock; believed rates follow what is measured."},
    berth_option_spec{"slot_steps",
                      BERTH_OPTION_INTEGER,
                      "0",
                      0,
                      kMost,
                      "steps",
                      "",
                      "Length of a slot in steps of each job's fastest node, by rates as first "
                      "believed: reproducible to the bit."},
    berth_option_spec{"merge_weights",
                      BERTH_OPTION_CHOICE,
                      "steps",
                      0,
                      0,
                      "",
                      "steps,samples,uniform,inverse-validation-loss",
                      "How much each copy counts in the merged model."},
    berth_option_spec{"merge_optimizer",
                      BERTH_OPTION_CHOICE,
                      "average",
                      0,
                      0,
                      "",
                      "average,reset",
                      "Moments after a merge: averaged like weights, or zero."},
    berth_option_spec{"merge_counters",
                      BERTH_OPTION_CHOICE,
                      "sum",
                      0,
                      0,
                      "",
                      "sum,sum/copies",
                      "How far a merge moves learning-rate schedules on."},
    berth_option_spec{"keep_checkpoints",
                      BERTH_OPTION_INTEGER,
                      "3",
                      1,
                      1e6,
                      "files",
                      "",
                      "Numbered checkpoints that stay."},
    berth_option_spec{"watchdog_seconds",
                      BERTH_OPTION_REAL,
                      "300",
                      0,
                      1e6,
                      "s",
                      "",
                      "Silence after which a rank is named and the run ends; 0: never."},
};

constexpr std::array kNodeOptions = {
    berth_option_spec{"name", BERTH_OPTION_TEXT, "", 0, 0, "", "", "A label."},
    berth_option_spec{"gflops",
                      BERTH_OPTION_REAL,
                      "1",
                      1e-6,
                      1e9,
                      "GFLOP/s",
                      "",
                      "Believed speed, until measured."},
    berth_option_spec{"gbps",
                      BERTH_OPTION_REAL,
                      "0",
                      0,
                      1e9,
                      "GB/s",
                      "",
                      "Memory bandwidth; 0: as many as gflops."},
    berth_option_spec{
        "pcie_gbps", BERTH_OPTION_REAL, "1", 1e-6, 1e9, "GB/s", "", "To what feeds the node."},
    berth_option_spec{
        "threads", BERTH_OPTION_INTEGER, "1", 1, 256, "threads", "", "Of one training step."},
    berth_option_spec{"duty",
                      BERTH_OPTION_REAL,
                      "1",
                      0.01,
                      1,
                      "",
                      "",
                      "Share of the time that the node computes: an emulated slower node."},
};

constexpr std::array kJobOptions = {
    berth_option_spec{"name", BERTH_OPTION_TEXT, "", 0, 0, "", "", "A label."},
    berth_option_spec{"model", BERTH_OPTION_TEXT, "", 0, 0, "", "", "A training job of a plugin."},
    berth_option_spec{
        "steps", BERTH_OPTION_INTEGER, "0", 0, kMost, "steps", "", "To be made in all."},
    berth_option_spec{"epochs", BERTH_OPTION_REAL, "0", 0, 1e9, "epochs", "", "In place of steps."},
    berth_option_spec{"seed",
                      BERTH_OPTION_INTEGER,
                      "-1",
                      -1,
                      4294967295.0,
                      "",
                      "",
                      "Added to the run's seed; -1: the job's number."},
};

}  // namespace

std::span<const berth_option_spec> mix_options() {
  return kMixOptions;
}

std::span<const berth_option_spec> mix_node_options() {
  return kNodeOptions;
}

std::span<const berth_option_spec> mix_job_options() {
  return kJobOptions;
}

}  // namespace berth::launcher
