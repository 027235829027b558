// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "berth/cluster_simulator.hpp"

namespace berth::internal {

/// Sets mean_jobs_present of every finished job: the time average, over its stay, of the number
/// of jobs between arrival and finish. Cost O(jobs log jobs).
void fill_mean_jobs_present(std::span<JobRecord> jobs);

}  // namespace berth::internal
