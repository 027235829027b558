// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "berth/ids.hpp"

namespace berth {
inline namespace abi_v1 {

/// One op as it ran. Times in the cost table's units.
struct OpInterval {
  OpId op{};
  DeviceId device{};
  std::uint32_t stream = 0;
  double ready = 0.0;
  double start = 0.0;
  double finish = 0.0;
};

/// One transfer as it ran; `request` is when its producer ended. `start` is when it has its links
/// (`links`), when its latency is over (`fair`), or the request itself.
struct TransferInterval {
  OpId producer{};
  OpId consumer{};  ///< The first consumer in edge order where one transfer serves several.
  DeviceId from{};
  DeviceId to{};
  double request = 0.0;
  double start = 0.0;
  double finish = 0.0;
};

/// An execution, real or simulated.
struct Trace {
  double makespan = 0.0;  ///< Time units.
  double seconds_per_unit = 1.0;
  std::vector<OpInterval> ops;              ///< [num_ops], by op id.
  std::vector<TransferInterval> transfers;  ///< By start time, producer, destination.
};

}  // namespace abi_v1
}  // namespace berth
