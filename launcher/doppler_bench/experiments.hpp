// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "doppler_bench/section.hpp"
#include "doppler_bench/trainer.hpp"
#include "progress.hpp"

namespace berth::launcher {

struct BenchSettings {
  std::uint64_t seeds = 3;
  std::uint64_t budget = 4000;       ///< Simulations of each method on each problem.
  bool quick = false;                ///< A small part of everything.
  std::string executor = "cpu";      ///< What measures; empty: nothing is measured.
  std::vector<std::string> methods;  ///< Of the main table; empty: all.
  std::vector<std::string> workloads = {"chain-mm", "ffnn", "llama-block", "llama-layer"};
};

/// What the experiments of `berth bench doppler` share.
struct Bench {
  const Trainer* trainer = nullptr;
  Logger* logger = nullptr;
  SectionForm form = SectionForm::kSilent;
  BenchSettings settings;
};

/// Every method on every workload, in `delay` and in `links`.
[[nodiscard]] Section main_experiment(const Bench& bench);
/// Parts of the policy and stages of the training, with learning curves.
[[nodiscard]] Section ablation_experiment(const Bench& bench);
/// A policy trained on one problem, on another: zero-shot and after some episodes.
[[nodiscard]] Section transfer_experiment(const Bench& bench);
/// Seconds per episode by ops and devices.
[[nodiscard]] Section scaling_experiment(const Bench& bench);
/// Thousands of ops: the policy that ships against search at equal wall time.
[[nodiscard]] Section large_experiment(const Bench& bench);

/// "workload:<name>:<devices>" on a topology, first in, first out.
[[nodiscard]] std::shared_ptr<const PlacementProblem> bench_problem(const Bench& bench,
                                                                    const std::string& graph,
                                                                    const std::string& topology,
                                                                    ExecutionModel model);

/// A random layered graph on equal devices, `delay`, first in, first out.
/// @param ccr mean edge size over mean work.
[[nodiscard]] std::shared_ptr<const PlacementProblem> layered_problem(std::size_t ops,
                                                                      std::size_t devices,
                                                                      std::uint64_t seed,
                                                                      double ccr = 1.0);

/// Rank 0 tells the progress of all.
[[nodiscard]] inline Progress::Shown shown_on(const Bench& bench) {
  return bench.trainer->session().rank() == 0 ? Progress::Shown::kYes : Progress::Shown::kNo;
}

/// The policy where its weights are measured: without search.
inline constexpr const char* kWeightsAlone =
    "doppler(refine_simulations=0,deep=0,search=0,heuristics=false)";

/// A makespan in milliseconds.
[[nodiscard]] double milliseconds(const PlacementProblem& problem, double makespan);

}  // namespace berth::launcher
