// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/topology.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "berth/error.hpp"

#include "../base/hash.hpp"

namespace berth {
inline namespace abi_v1 {

struct Topology::Storage {
  std::string name;
  std::vector<DeviceSpec> devices;
  std::vector<LinkSpec> links;
  std::vector<std::vector<LinkId>> routes;  ///< [devices * devices], row = from
  std::uint64_t hash = 0;
};

struct TopologyBuilder::State {
  Topology::Storage storage;
  struct Route {
    DeviceId from{};
    DeviceId to{};
    std::vector<LinkId> links;
  };
  std::vector<Route> routes;
  std::unordered_set<std::string> names;
};

namespace {

void require(bool ok, const std::string& place, const char* expected) {
  if (!ok) {
    throw InputError(place + ": expected " + expected);
  }
}

bool amount(double value) {
  return value >= 0.0 && !std::isinf(value);
}
bool positive(double value) {
  return value > 0.0 && !std::isinf(value);
}

}  // namespace

Topology::Topology() : storage_(std::make_shared<const Storage>()) {}

Topology Topology::uniform(std::size_t devices) {
  require(devices > 0, "uniform:0", "at least one device");
  TopologyBuilder builder("uniform:" + std::to_string(devices));
  for (std::size_t d = 0; d < devices; ++d) {
    builder.add_device({});
  }
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a != b) {
        const LinkId link =
            builder.add_link({std::to_string(a) + "->" + std::to_string(b), {1.0}, {0.0}});
        builder.route(to_id<DeviceId>(a), to_id<DeviceId>(b), {link});
      }
    }
  }
  return builder.freeze();
}

const std::string& Topology::name() const noexcept {
  return storage_->name;
}
std::size_t Topology::num_devices() const noexcept {
  return storage_->devices.size();
}
std::size_t Topology::num_links() const noexcept {
  return storage_->links.size();
}
const DeviceSpec& Topology::device(DeviceId id) const noexcept {
  return storage_->devices[index(id)];
}
const LinkSpec& Topology::link(LinkId id) const noexcept {
  return storage_->links[index(id)];
}

std::span<const LinkId> Topology::route(DeviceId from, DeviceId to) const noexcept {
  return storage_->routes[index(from) * num_devices() + index(to)];
}

BytesPerSecond Topology::bandwidth(DeviceId from, DeviceId to) const noexcept {
  BytesPerSecond least{std::numeric_limits<double>::infinity()};
  for (const LinkId id : route(from, to)) {
    least = std::min(least, link(id).bandwidth);
  }
  return least;
}

Seconds Topology::latency(DeviceId from, DeviceId to) const noexcept {
  Seconds sum;
  for (const LinkId id : route(from, to)) {
    sum = sum + link(id).latency;
  }
  return sum;
}

std::uint64_t Topology::hash() const noexcept {
  return storage_->hash;
}

TopologyBuilder::TopologyBuilder(std::string name) : state_(std::make_unique<State>()) {
  state_->storage.name = std::move(name);
}
TopologyBuilder::~TopologyBuilder() = default;
TopologyBuilder::TopologyBuilder(TopologyBuilder&&) noexcept = default;
TopologyBuilder& TopologyBuilder::operator=(TopologyBuilder&&) noexcept = default;

DeviceId TopologyBuilder::add_device(DeviceSpec spec) {
  const std::size_t id = state_->storage.devices.size();
  if (spec.name.empty()) {
    spec.name = "device" + std::to_string(id);
  }
  const std::string place = "device '" + spec.name + "'";
  require(state_->names.insert(spec.name).second, place, "a name that no other device has");
  require(positive(spec.peak.value), place + ": peak", "a finite rate > 0");
  require(amount(spec.memory_bandwidth.value), place + ": memory_bandwidth", "finite and >= 0");
  require(amount(spec.memory.value), place + ": memory", "finite and >= 0");
  require(amount(spec.launch_overhead.value), place + ": launch_overhead", "finite and >= 0");
  std::unordered_set<std::string> rated;
  for (const OpRate& rate : spec.op_rates) {
    const std::string at = place + ": op rate '" + rate.name + "'";
    require(rated.insert(rate.name).second, at, "each name once");
    require(positive(rate.peak.value), at + ": peak", "a finite rate > 0");
    require(amount(rate.memory_bandwidth.value), at + ": memory_bandwidth", "finite and >= 0");
    require(amount(rate.launch_overhead.value), at + ": launch_overhead", "finite and >= 0");
  }
  state_->storage.devices.push_back(std::move(spec));
  return to_id<DeviceId>(id);
}

LinkId TopologyBuilder::add_link(LinkSpec spec) {
  const std::size_t id = state_->storage.links.size();
  if (spec.name.empty()) {
    spec.name = "link" + std::to_string(id);
  }
  const std::string place = "link '" + spec.name + "'";
  require(positive(spec.bandwidth.value), place + ": bandwidth", "a finite bandwidth > 0");
  require(amount(spec.latency.value), place + ": latency", "finite and >= 0");
  state_->storage.links.push_back(std::move(spec));
  return to_id<LinkId>(id);
}

TopologyBuilder& TopologyBuilder::route(DeviceId from, DeviceId to, std::vector<LinkId> links) {
  const std::size_t devices = state_->storage.devices.size();
  const std::string place =
      "route " + std::to_string(index(from)) + " -> " + std::to_string(index(to));
  require(index(from) < devices && index(to) < devices, place, "devices that exist");
  require(from != to, place, "two distinct devices (a local transfer is free)");
  require(!links.empty(), place, "at least one link");
  for (const LinkId link : links) {
    require(index(link) < state_->storage.links.size(), place, "links that exist");
  }
  state_->routes.push_back({from, to, std::move(links)});
  return *this;
}

Topology TopologyBuilder::freeze() {
  Topology::Storage& storage = state_->storage;
  const std::size_t devices = storage.devices.size();
  require(devices > 0, "topology '" + storage.name + "' has no device", "at least one");
  storage.routes.resize(devices * devices);
  for (State::Route& route : state_->routes) {
    storage.routes[index(route.from) * devices + index(route.to)] = std::move(route.links);
  }
  internal::Hasher hasher;
  for (const DeviceSpec& device : storage.devices) {
    hasher.text(device.type);
    for (const double value : {device.peak.value,
                               device.memory_bandwidth.value,
                               device.memory.value,
                               device.launch_overhead.value}) {
      hasher.number(value);
    }
    for (const OpRate& rate : device.op_rates) {
      hasher.text(rate.name);
      hasher.number(rate.peak.value);
      hasher.number(rate.memory_bandwidth.value);
      hasher.number(rate.launch_overhead.value);
    }
  }
  for (const LinkSpec& link : storage.links) {
    hasher.number(link.bandwidth.value);
    hasher.number(link.latency.value);
  }
  for (std::size_t pair = 0; pair < storage.routes.size(); ++pair) {
    const std::size_t from = pair / devices;
    const std::size_t to = pair % devices;
    require(from == to || !storage.routes[pair].empty(),
            "topology '" + storage.name + "': no route from '" + storage.devices[from].name +
                "' to '" + storage.devices[to].name + "'",
            "a route for every ordered pair of devices");
    hasher.word(storage.routes[pair].size());
    for (const LinkId link : storage.routes[pair]) {
      hasher.word(index(link));
    }
  }
  storage.hash = hasher.value();
  Topology topology;
  topology.storage_ = std::make_shared<const Topology::Storage>(std::move(storage));
  state_ = std::make_unique<State>();
  return topology;
}

}  // namespace abi_v1
}  // namespace berth
