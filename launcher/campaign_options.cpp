// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "campaign.hpp"

namespace berth::launcher {
namespace {

constexpr double kExact = 9007199254740992.0;  // 2^53

constexpr berth_option_spec kCampaign[] = {
    {"policy", BERTH_OPTION_TEXT, "doppler", 0, 0, "", "", "The policy that learns."},
    {"seed", BERTH_OPTION_INTEGER, "1", 0, kExact, "", "", "All randomness derives from it."},
    {"rollouts", BERTH_OPTION_INTEGER, "32", 1, 1e6, "", "", "Rollouts in one update."},
    {"group_size",
     BERTH_OPTION_INTEGER,
     "16",
     1,
     1e6,
     "",
     "",
     "Consecutive rollouts of one problem whose gradient is computed in one pass; the unit of work "
     "that ranks share out."},
    {"updates",
     BERTH_OPTION_INTEGER,
     "0",
     0,
     1e9,
     "",
     "",
     "Updates in all, split over the stages in proportion; 0: as the stages say."},
    {"checkpoint_every",
     BERTH_OPTION_INTEGER,
     "50",
     1,
     1e9,
     "updates",
     "",
     "Updates between two checkpoints."},
    {"keep_checkpoints",
     BERTH_OPTION_INTEGER,
     "3",
     1,
     1e6,
     "",
     "",
     "Numbered checkpoints that stay beside latest.h5 and best.h5."},
    {"max_failed_rollouts",
     BERTH_OPTION_REAL,
     "0.1",
     0,
     1,
     "",
     "",
     "Fraction of an update's rollouts that may fail before the run does."},
    {"incumbents",
     BERTH_OPTION_TEXT,
     "auto",
     0,
     0,
     "",
     "",
     "Policies whose placements the campaign starts from and never falls behind, separated by "
     "commas; auto: critical-path and heft where a plugin offers them."},
    {"rivals",
     BERTH_OPTION_TEXT,
     "",
     0,
     0,
     "",
     "",
     "Policies run at the end with as many simulations as the campaign used, for comparison, for "
     "example annealing."},
    {"watchdog_seconds",
     BERTH_OPTION_REAL,
     "300",
     0,
     1e6,
     "seconds",
     "",
     "Longest silence of a rank before the run is ended and the rank named; 0: for ever."},
    {"progress_seconds",
     BERTH_OPTION_REAL,
     "10",
     0,
     1e6,
     "seconds",
     "",
     "Time between two progress lines where standard error is no terminal."},
};

constexpr berth_option_spec kProblem[] = {
    {"graph",
     BERTH_OPTION_TEXT,
     "",
     0,
     0,
     "",
     "",
     "Graph file, relative to the campaign's file, or workload:NAME[:DEVICES[:COSTS[:EXTENTS]]]."},
    {"topology",
     BERTH_OPTION_TEXT,
     "",
     0,
     0,
     "",
     "",
     "Preset such as uniform:4, or a topology file; empty: as many identical devices as the "
     "graph's own table names."},
    {"model",
     BERTH_OPTION_CHOICE,
     "delay",
     0,
     0,
     "",
     "delay,doppler-reference,links,fair,pull",
     "Execution model of the simulator."},
    {"discipline",
     BERTH_OPTION_CHOICE,
     "auto",
     0,
     0,
     "",
     "auto,fifo,priority,static-order",
     "Which waiting op an idle device starts."},
    {"streams", BERTH_OPTION_INTEGER, "1", 1, 1024, "", "", "Ops a device runs at once."},
    {"compute_noise",
     BERTH_OPTION_REAL,
     "0",
     0,
     10,
     "",
     "",
     "Sigma of a log-normal factor of mean 1 on each op."},
    {"transfer_noise", BERTH_OPTION_REAL, "0", 0, 10, "", "", "The same on each transfer."},
    {"noise_seed", BERTH_OPTION_INTEGER, "0", 0, kExact, "", "", "Seed of the factors."},
};

constexpr berth_option_spec kStage[] = {
    {"kind",
     BERTH_OPTION_CHOICE,
     "simulation",
     0,
     0,
     "",
     "imitation,simulation",
     "What the rollouts of the stage learn from."},
    {"updates", BERTH_OPTION_INTEGER, "100", 0, 1e9, "", "", "Optimiser updates of the stage."},
};

}  // namespace

std::span<const berth_option_spec> campaign_options() {
  return kCampaign;
}

std::span<const berth_option_spec> problem_options() {
  return kProblem;
}

std::span<const berth_option_spec> stage_options() {
  return kStage;
}

}  // namespace berth::launcher
