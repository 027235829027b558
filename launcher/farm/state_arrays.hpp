// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "berth/placement.hpp"
#include "berth/state.hpp"

namespace berth::launcher {

/// Saves a vector as a tensor of one dimension.
template <class Value>
void put(StateWriter& writer, const std::string& name, const std::vector<Value>& values) {
  const std::int64_t shape[] = {static_cast<std::int64_t>(values.size())};
  writer.tensor(name, shape, std::span<const Value>(values));
}

/// The values of a tensor of any shape, as many as were saved. @throws CheckpointError as the
/// reader.
template <class Value>
[[nodiscard]] std::vector<Value> get(const StateReader& reader, const std::string& name) {
  const std::vector<std::int64_t> shape = reader.shape(name);
  std::size_t size = 1;
  for (const std::int64_t dimension : shape) {
    size *= static_cast<std::size_t>(dimension);
  }
  std::vector<Value> values(size);
  reader.tensor(name, shape, std::span<Value>(values));
  return values;
}

/// Loads a vector of `count` values. @throws CheckpointError as the reader.
template <class Value>
[[nodiscard]] std::vector<Value> get(const StateReader& reader,
                                     const std::string& name,
                                     std::size_t count) {
  std::vector<Value> values(count);
  const std::int64_t shape[] = {static_cast<std::int64_t>(count)};
  reader.tensor(name, shape, std::span<Value>(values));
  return values;
}

/// Saves a placement as `<name>_device` and `<name>_order`.
inline void put(StateWriter& writer, const std::string& name, const Placement& placement) {
  std::vector<std::uint64_t> devices;
  for (const DeviceId device : placement.device) {
    devices.push_back(index(device));
  }
  put(writer, name + "_device", devices);
  put(writer, name + "_order", placement.order);
}

[[nodiscard]] inline Placement get_placement(const StateReader& reader, const std::string& name) {
  Placement placement;
  for (const std::uint64_t device : get<std::uint64_t>(reader, name + "_device")) {
    placement.device.push_back(to_id<DeviceId>(device));
  }
  placement.order = get<double>(reader, name + "_order");
  return placement;
}

}  // namespace berth::launcher
