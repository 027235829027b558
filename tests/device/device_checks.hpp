// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>

#include "berth/problem.hpp"

#include "check_table.hpp"
#include "core/stream_executor.hpp"

namespace berth::device_check {

/// Sizes of what is checked.
struct CheckScale {
  bool is_small = false;      ///< For compute-sanitizer: a little of the first two.
  std::uint32_t logical = 4;  ///< Devices on GPU 0 and the others that there are.
};

/// Opens the GPUs for a problem.
[[nodiscard]] std::unique_ptr<executors::StreamExecutor> open_executor(
    const PlacementProblem& problem, const executors::StreamOptions& options, bool logical);

/// A generated workload on devices of equal rates, every pair with a link of its own.
[[nodiscard]] std::shared_ptr<const PlacementProblem> workload_on(const std::string& word,
                                                                  std::size_t devices,
                                                                  std::uint32_t streams,
                                                                  ExecutionModel model);
/// Every op on any device, by a seed.
[[nodiscard]] Placement random_placement(const PlacementProblem& problem, std::uint64_t seed);

void check_kernels(const CheckScale& scale, CheckTable& table);
void check_numerics(const CheckScale& scale, CheckTable& table);
void check_overhead(CheckTable& table);
void check_agreement(CheckTable& table);
void check_campaign(CheckTable& table);
/// Forks two ranks; to be called before anything of CUDA is. @return the exit code.
int check_ranks();

}  // namespace berth::device_check
