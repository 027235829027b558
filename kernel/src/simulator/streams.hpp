// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "berth/trace.hpp"

namespace berth::internal {

/// Names the stream of every op of a trace: ops by (start, finish, id), each on the lowest stream
/// of its device that is free. Cost O(ops * (log ops + streams)).
void assign_streams(Trace& trace, std::size_t devices, std::size_t streams);

}  // namespace berth::internal
