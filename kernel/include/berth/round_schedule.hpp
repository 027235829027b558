// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/cluster.hpp"
#include "berth/cluster_job.hpp"

namespace berth {
inline namespace abi_v1 {

/// The accelerators of one job for one round.
struct Assignment {
  JobId job{};
  std::vector<GpuId> gpus;  ///< Exactly the job's gang, ascending.
  bool runs = true;         ///< false: the job holds its accelerators but makes no steps.

  bool operator==(const Assignment&) const = default;
};

/// Who runs where in one round; jobs not named wait.
struct RoundSchedule {
  std::vector<Assignment> assignments;

  bool operator==(const RoundSchedule&) const = default;
};

}  // namespace abi_v1
}  // namespace berth
