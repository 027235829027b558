// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "packed_problem.hpp"
#include "waiting_ops.hpp"

namespace berth::internal {

/// Names up to five ops that a run under a static order left over, and up to five inputs that
/// each still waits for. Only ops whose turn it is hold others up, so only those are named.
[[nodiscard]] std::string explain_deadlock(const PackedProblem& packed, const WaitingOps& waiting);

}  // namespace berth::internal
