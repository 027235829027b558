// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include "encoder_input.hpp"

namespace berth::doppler {

/// Differentiable row sums: out [outputs, columns] from x [inputs, columns]. `sums` must outlive
/// the backward pass.
torch::Tensor sum_rows(const torch::Tensor& x, const RowSums& sums);

/// Differentiable sums along chains: out[v] = x[v] + out[next[v]], next[v] == n ends a chain;
/// `order` lists the ops so that each comes after its next one. O(n) for x [n, columns].
torch::Tensor sum_chains(const torch::Tensor& x,
                         const std::vector<std::int64_t>& next,
                         const std::vector<std::int64_t>& order);

}  // namespace berth::doppler
