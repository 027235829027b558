// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

namespace berth::internal {

/// A job that starts at `release` or later and takes `time` without interruption.
struct ReleasedJob {
  double release;
  double time;
};

/// Least time at which all jobs can be over on `lanes` machines of one job each, for every set of
/// jobs that are released at a or later:
/// - a + work / lanes;
/// - of the k * lanes + 1 longest, some k + 1 follow one another on one machine: a + the k + 1
///   shortest of these.
/// Large sets are looked at in growing steps only.
///
/// @param whole all times are whole numbers, so fractions are rounded up.
/// @return 0 without jobs. Reorders `jobs`. Cost O(n log n), a few dozen times where n is large.
[[nodiscard]] double all_over(std::vector<ReleasedJob>& jobs, std::size_t lanes, bool whole);

}  // namespace berth::internal
