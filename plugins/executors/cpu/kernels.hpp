// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "core/op_data.hpp"
#include "core/op_shape.hpp"

namespace berth::executors {

/// Runs a kernel on the calling thread. @pre shape.function is not kEmulated;
/// workspace holds shape.workspace_reals.
void run_kernel(const OpShape& shape, const OpData& data, float* workspace) noexcept;

}  // namespace berth::executors
