// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace berth::launcher {

/// One point that the NEST paper or the README of its artifact reports: throughput relative to
/// Manual at the smallest size where Manual fits (figure 5), at micro-batch 1 (figure 6) or at the
/// same size (readme). Zero: infeasible or not reported.
struct PublishedPoint {
  std::string_view experiment;  ///< "figure5", "figure6", "readme".
  std::string_view model;       ///< As the artifact names it: bert, llama2, llama3, mixtral, gpt3.
  std::uint32_t devices = 0;
  std::uint32_t micro_batch = 1;
  double manual = 0.0;
  double mcmc = 0.0;
  double alpa = 0.0;  ///< Alpa-E.
  double phaze = 0.0;
  double nest = 0.0;
};

/// Sources: arXiv 2603.06798, figures 5 and 6; github.com/scai-tech/Nest, README (commit 3e163ad).
[[nodiscard]] std::span<const PublishedPoint> published_points();

/// Sequences per millisecond of the value 1.00 of figure 5; 0 for an unknown model.
[[nodiscard]] double published_unit(std::string_view model);

}  // namespace berth::launcher
