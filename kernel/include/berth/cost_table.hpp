// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "berth/export.hpp"
#include "berth/graph.hpp"
#include "berth/topology.hpp"

namespace berth {
inline namespace abi_v1 {

/// Every op priced on every device and every edge on every pair of devices, in the graph's time
/// units (`seconds_per_unit`), so that integer costs of a file stay exact.
///
/// Devices that price alike form a class; compute times are kept once a class:
/// `class_compute[op * num_classes + device_class[device]]`, +infinity where the device cannot
/// run the op. A transfer of edge e from device a to device b != a takes
/// `latency[a * devices + b] + edge_size[e] * inverse_speed[a * devices + b]`; on one device 0.
struct CostTable {
  std::size_t num_devices = 0;
  std::size_t num_classes = 0;
  double seconds_per_unit = 1.0;
  std::vector<std::uint32_t> device_class;  ///< [devices]
  std::vector<double> class_compute;        ///< [ops * classes] time units
  std::vector<double> latency;              ///< [devices * devices] time units
  std::vector<double> inverse_speed;        ///< [devices * devices] time units per size unit
  std::vector<double> device_memory;        ///< [devices] bytes, +infinity where unlimited

  [[nodiscard]] double compute(OpId op, DeviceId device) const noexcept {
    return class_compute[index(op) * num_classes + device_class[index(device)]];
  }
  [[nodiscard]] bool can_run(OpId op, DeviceId device) const noexcept {
    return compute(op, device) < std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] double transfer(double edge_size, DeviceId from, DeviceId to) const noexcept {
    const std::size_t pair = index(from) * num_devices + index(to);
    return from == to ? 0.0 : latency[pair] + edge_size * inverse_speed[pair];
  }

  /// [ops] mean compute time over the devices that can run the op (HEFT's rank weight).
  [[nodiscard]] BERTH_API std::vector<double> mean_compute(std::size_t num_ops) const;
  /// [ops] least compute time over devices.
  [[nodiscard]] BERTH_API std::vector<double> least_compute(std::size_t num_ops) const;
  /// [edges] mean transfer time over the ordered pairs of distinct devices; 0 for one device.
  [[nodiscard]] BERTH_API std::vector<double> mean_transfer(const Graph& graph) const;
};

/// Prices a graph on a topology.
///
/// kTime: compute = work * (fastest peak / device peak), or the graph's own per-device time;
/// transfer = latency + size * (fastest bandwidth / route bandwidth), local transfers free.
/// kPhysical: compute = max(flops / peak, touched bytes / memory bandwidth) + launch overhead, with
/// the device's rates for Graph::rate_shape() of the op, or rate_name(), where it has any; transfer
/// = latency + bytes / bandwidth.
///
/// @throws InputError if the graph's per-device table has another number of devices than the
///         topology; SolverError naming an op that can run on none of its devices.
/// Cost O(ops * classes + devices^2).
[[nodiscard]] BERTH_API CostTable price(const Graph& graph, const Topology& topology);

}  // namespace abi_v1
}  // namespace berth
