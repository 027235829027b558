// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/export.hpp"
#include "berth/ids.hpp"
#include "berth/units.hpp"

namespace berth {
inline namespace abi_v1 {

/// What a device reaches on one kind of op, or on one shape of it; replaces the device's own
/// numbers for it.
struct OpRate {
  std::string name;                      ///< As Graph::rate_name() or rate_shape().
  FlopsPerSecond peak{1.0};              ///< > 0
  BytesPerSecond memory_bandwidth{0.0};  ///< 0: memory traffic costs nothing.
  Seconds launch_overhead{0.0};

  bool operator==(const OpRate&) const = default;
};

/// A device as the cost model sees it.
struct DeviceSpec {
  std::string name;          ///< Unique; empty means "device<id>".
  std::string type;          ///< Accelerator name, for example "P100"; devices of one type
                             ///< price alike.
  FlopsPerSecond peak{1.0};  ///< > 0
  BytesPerSecond memory_bandwidth{0.0};  ///< 0: memory traffic costs nothing.
  Bytes memory{0.0};                     ///< Capacity; 0: unlimited.
  Seconds launch_overhead{0.0};          ///< Added to every op of a physical graph.
  std::vector<OpRate> op_rates;          ///< Measured ones, each name once; others as above.
};

/// A shared resource that transfers occupy: a wire, a bus, one direction of a switch port.
struct LinkSpec {
  std::string name;
  BytesPerSecond bandwidth{1.0};  ///< > 0
  Seconds latency{0.0};
};

/// Devices, links, and for each ordered pair of devices the links that a transfer crosses.
/// Immutable; copies share storage.
class BERTH_API Topology {
 public:
  Topology();  ///< No device.

  /// `devices` identical devices; every ordered pair has a link of its own; on a kTime graph a
  /// transfer costs exactly what the graph says. @throws InputError if devices == 0.
  [[nodiscard]] static Topology uniform(std::size_t devices);

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] std::size_t num_devices() const noexcept;
  [[nodiscard]] std::size_t num_links() const noexcept;
  [[nodiscard]] const DeviceSpec& device(DeviceId id) const noexcept;
  [[nodiscard]] const LinkSpec& link(LinkId id) const noexcept;

  /// Links that a transfer between two distinct devices crosses, in order; never empty.
  [[nodiscard]] std::span<const LinkId> route(DeviceId from, DeviceId to) const noexcept;
  /// Least bandwidth on the route.
  [[nodiscard]] BytesPerSecond bandwidth(DeviceId from, DeviceId to) const noexcept;
  /// Sum of the latencies on the route.
  [[nodiscard]] Seconds latency(DeviceId from, DeviceId to) const noexcept;

  /// 64-bit hash of everything but names.
  [[nodiscard]] std::uint64_t hash() const noexcept;

 private:
  friend class TopologyBuilder;
  struct Storage;
  std::shared_ptr<const Storage> storage_;
};

/// Collects devices, links and routes.
class BERTH_API TopologyBuilder {
 public:
  explicit TopologyBuilder(std::string name = {});
  ~TopologyBuilder();
  TopologyBuilder(TopologyBuilder&&) noexcept;
  TopologyBuilder& operator=(TopologyBuilder&&) noexcept;
  TopologyBuilder(const TopologyBuilder&) = delete;
  TopologyBuilder& operator=(const TopologyBuilder&) = delete;

  /// @throws InputError on a bad number or a device name that is already there.
  DeviceId add_device(DeviceSpec spec);
  LinkId add_link(LinkSpec spec);
  /// Sets the route of one ordered pair. @throws InputError on an unknown id or from == to.
  TopologyBuilder& route(DeviceId from, DeviceId to, std::vector<LinkId> links);

  /// @throws InputError naming a pair of devices without a route, or if there is no device.
  [[nodiscard]] Topology freeze();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace abi_v1
}  // namespace berth
