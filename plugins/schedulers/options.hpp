// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>

#include "berth/plugin_abi.h"

namespace berth::schedulers {

/// Options of every scheduler behind Gavel's round mechanism.
inline constexpr std::array kGavelOptions = {
    berth_option_spec{"gavel_compatible",
                      BERTH_OPTION_FLAG,
                      "false",
                      0,
                      0,
                      "",
                      "",
                      "Every quirk of Gavel's mechanism, whatever the options below say."},
    berth_option_spec{"reset_interval_seconds",
                      BERTH_OPTION_REAL,
                      "0",
                      0,
                      1e9,
                      "s",
                      "",
                      "Least time between two solutions of the policy (Gavel: 1920)."},
    berth_option_spec{"reset_when_drained",
                      BERTH_OPTION_FLAG,
                      "false",
                      0,
                      0,
                      "",
                      "",
                      "Solve at once when nothing ran and no job will arrive."},
    berth_option_spec{"initial_job_time_share",
                      BERTH_OPTION_REAL,
                      "0",
                      0,
                      1,
                      "rounds",
                      "",
                      "Time credited to a new job, as a share of a round (Gavel: 0.5)."},
    berth_option_spec{"worker_time_per_gpu",
                      BERTH_OPTION_FLAG,
                      "true",
                      0,
                      0,
                      "",
                      "",
                      "A gang's time counts once per accelerator (Gavel: once per job)."},
    berth_option_spec{"hold_without_allocation",
                      BERTH_OPTION_FLAG,
                      "false",
                      0,
                      0,
                      "",
                      "",
                      "A job that was never solved for blocks accelerators without running."},
    berth_option_spec{"work_conserving",
                      BERTH_OPTION_FLAG,
                      "true",
                      0,
                      0,
                      "",
                      "",
                      "Jobs without a share fill accelerators that are left."},
    berth_option_spec{"shuffle_types",
                      BERTH_OPTION_FLAG,
                      "false",
                      0,
                      0,
                      "",
                      "",
                      "Visit accelerator types in a random order every round."},
    berth_option_spec{"sticky_previous_round_only",
                      BERTH_OPTION_FLAG,
                      "true",
                      0,
                      0,
                      "",
                      "",
                      "A job that paused for a round loses its accelerators."},
};

inline constexpr std::array kGavelFifoOnly = {
    berth_option_spec{"fifo_repaired",
                      BERTH_OPTION_FLAG,
                      "true",
                      0,
                      0,
                      "",
                      "",
                      "Use the random type that was drawn; Gavel takes the last one."},
};

inline constexpr std::array kTiresiasOptions = {
    berth_option_spec{"first_limit_gpu_seconds",
                      BERTH_OPTION_REAL,
                      "3600",
                      0,
                      1e12,
                      "GPU-s",
                      "",
                      "Attained service that leaves the first queue."},
    berth_option_spec{"second_limit_gpu_seconds",
                      BERTH_OPTION_REAL,
                      "0",
                      0,
                      1e12,
                      "GPU-s",
                      "",
                      "Attained service that leaves the second queue; 0: two queues only."},
    berth_option_spec{"promote_knob",
                      BERTH_OPTION_REAL,
                      "0",
                      0,
                      1e9,
                      "",
                      "",
                      "Waiting time over running time that takes a demoted job back to the first "
                      "queue; 0: never."},
};

inline constexpr std::array kSiaOptions = {
    berth_option_spec{"power",
                      BERTH_OPTION_REAL,
                      "-0.5",
                      -10,
                      -0.01,
                      "",
                      "",
                      "Exponent of a job's normalised rate in its cost."},
    berth_option_spec{"waiting_penalty",
                      BERTH_OPTION_REAL,
                      "1.1",
                      0.01,
                      3000,
                      "",
                      "",
                      "Lambda: the cost of a job that waits."},
    berth_option_spec{"gap",
                      BERTH_OPTION_REAL,
                      "0.001",
                      0,
                      1,
                      "",
                      "",
                      "Relative gap at which the integer program stops."},
    berth_option_spec{"most_nodes",
                      BERTH_OPTION_INTEGER,
                      "200",
                      0,
                      1e9,
                      "nodes",
                      "",
                      "Most nodes that one branch and bound looks at."},
};

inline constexpr std::array kPolluxOptions = {
    berth_option_spec{"population",
                      BERTH_OPTION_INTEGER,
                      "24",
                      2,
                      10000,
                      "",
                      "",
                      "Allocations that the search holds (Pollux: 100)."},
    berth_option_spec{"generations",
                      BERTH_OPTION_INTEGER,
                      "24",
                      0,
                      10000,
                      "",
                      "",
                      "Generations of a round's search (Pollux: 100)."},
    berth_option_spec{"change_factor",
                      BERTH_OPTION_REAL,
                      "0.9",
                      0,
                      1,
                      "",
                      "",
                      "What remains of a job's worth where its machines change."},
};

/// Two tables as one.
template <std::size_t A, std::size_t B>
[[nodiscard]] constexpr std::array<berth_option_spec, A + B> joined(
    const std::array<berth_option_spec, A>& first, const std::array<berth_option_spec, B>& second) {
  std::array<berth_option_spec, A + B> all{};
  for (std::size_t i = 0; i < A; ++i) {
    all[i] = first[i];
  }
  for (std::size_t i = 0; i < B; ++i) {
    all[A + i] = second[i];
  }
  return all;
}

inline constexpr auto kGavelFifoOptions = joined(kGavelOptions, kGavelFifoOnly);

}  // namespace berth::schedulers
