// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "berth/graph.hpp"

namespace berth {
inline namespace abi_v1 {

struct Graph::Storage {
  std::string name;
  CostBasis basis = CostBasis::kTime;
  double seconds_per_unit = 1.0;
  std::uint64_t hash = 0;

  std::vector<std::string> names;  ///< Empty string: "op<id>".
  std::vector<std::string> kinds;
  std::vector<std::string> kernels;
  std::vector<std::uint16_t> kind_of;
  std::vector<double> work;
  std::vector<double> output_bytes;
  std::vector<double> touched_bytes;
  std::vector<double> memory_bytes;

  std::size_t table_devices = 0;
  std::vector<double> device_time;
  std::vector<std::uint64_t> eligible_offsets;  ///< Empty where every op may run everywhere.
  std::vector<DeviceId> eligible;

  std::vector<std::uint64_t> out_offsets{0};
  std::vector<OpId> out_targets;
  std::vector<double> edge_size;
  std::vector<std::uint64_t> in_offsets{0};
  std::vector<OpId> in_sources;
  std::vector<EdgeId> in_edges;
  std::vector<OpId> topological_order;
};

}  // namespace abi_v1
}  // namespace berth
