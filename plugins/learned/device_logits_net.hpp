// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

#include "device_codes.hpp"
#include "net_graph.hpp"

namespace berth::learned {

/// Logits [steps, devices] of steps first .. from what a network answers, [steps, kDeviceScore].
inline torch::Tensor device_logits(const torch::Tensor& answers,
                                   const NetGraph& graph,
                                   std::size_t first) {
  const auto devices = static_cast<std::int64_t>(graph.num_devices);
  const auto code = static_cast<std::int64_t>(kDeviceCode);
  auto* codes = const_cast<float*>(graph.device_codes.data());
  const torch::Tensor logits =
      answers.narrow(1, 0, code)
          .matmul(torch::from_blob(codes, {devices, code}, torch::kFloat32).t());
  if (graph.device_times.empty()) {
    return logits;
  }
  auto* times = const_cast<float*>(graph.device_times.data());
  const auto ops = static_cast<std::int64_t>(graph.num_ops);
  const auto begin = graph.order.begin() + static_cast<std::ptrdiff_t>(first);
  const std::vector<std::int64_t> placed(begin, begin + answers.size(0));
  return logits +
         answers.narrow(1, code, 1) * torch::from_blob(times, {ops, devices}, torch::kFloat32)
                                          .index_select(0, torch::tensor(placed));
}

}  // namespace berth::learned
