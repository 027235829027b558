// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "utility.hpp"

namespace berth::hadar {

/// The jobs of a round with what the utilities need. `kind` decides which
/// optional parts are filled. Cost O(jobs x types), and a small iteration over
/// types for kMakespan.
[[nodiscard]] std::vector<JobView> view_jobs(const RoundContext& context, UtilityKind kind);

/// Relative prices of the types that balance the remaining work: each job goes
/// where its accelerators cost least per step, and no type is loaded longer
/// than another that could take its work. The dual of the makespan LP over jobs
/// (as the makespan program has them), found by multiplicative updates. @return
/// [num_types], summing to 1.
[[nodiscard]] std::vector<double> balancing_prices(const Cluster& cluster,
                                                   std::span<const JobView> jobs);

}  // namespace berth::hadar
