// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "berth/export.hpp"
#include "berth/ids.hpp"
#include "berth/problem.hpp"

namespace berth {
inline namespace abi_v1 {

/// [ops] devices that can run the ops and hold them, whatever that makes of the makespan: what a
/// policy answers with when its own way runs out of memory.
///
/// Ops with the fewest devices first, then the largest, each on the device that it fills most;
/// dead ends are taken back.
/// @throws SolverError: no placement fits, all having been tried; or none was found in the 200,000
///         steps that are spent. Names the op that was hardest to place and its bytes.
/// Cost O(ops * devices) without dead ends, at most (ops + 200,000) * devices.
[[nodiscard]] BERTH_API std::vector<DeviceId> pack_into_memory(const PlacementProblem& problem);

}  // namespace abi_v1
}  // namespace berth
