// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "device_driver.hpp"
#include "op_data.hpp"
#include "op_shape.hpp"

namespace berth::executors {

/// What a device launches for an op, in order: gathers into the workspace, then the op itself; of
/// a contraction one product, or one for each point of the loops that no batch covers. Appends to
/// `calls`. @pre shape.function is not kEmulated; workspace holds shape.workspace_reals.
/// @throws InputError for loops nested deeper than a kernel takes.
void append_calls(const OpShape& shape,
                  const OpData& data,
                  float* workspace,
                  std::vector<KernelCall>& calls);

}  // namespace berth::executors
