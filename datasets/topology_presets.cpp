// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "topology_presets.hpp"

#include <array>
#include <string>
#include <vector>

#include "berth/units.hpp"

#include "accelerators.hpp"

namespace berth::datasets {
namespace {

BytesPerSecond bandwidth_of(std::string_view link) {
  return parse_bandwidth(link_rate(link).bandwidth);
}

Seconds latency_of(std::string_view link) {
  return parse_seconds(link_rate(link).latency);
}

DeviceId device_id(std::size_t d) {
  return to_id<DeviceId>(d);
}

void add_devices(TopologyBuilder& builder,
                 std::string_view accelerator,
                 const std::string& prefix,
                 std::size_t devices) {
  for (std::size_t d = 0; d < devices; ++d) {
    builder.add_device(make_device(accelerator, prefix + std::to_string(d)));
  }
}

/// A link out of and a link into every device; half of the latency on each.
struct Ports {
  std::vector<LinkId> out;
  std::vector<LinkId> in;
};

Ports add_ports(TopologyBuilder& builder,
                const std::string& prefix,
                std::size_t devices,
                BytesPerSecond bandwidth,
                Seconds latency) {
  Ports ports;
  for (std::size_t d = 0; d < devices; ++d) {
    const std::string name = prefix + std::to_string(d);
    ports.out.push_back(builder.add_link({name + " out", bandwidth, 0.5 * latency}));
    ports.in.push_back(builder.add_link({name + " in", bandwidth, 0.5 * latency}));
  }
  return ports;
}

/// Every device on one switch that never limits.
Topology star(const std::string& name,
              std::string_view accelerator,
              const std::string& prefix,
              std::size_t devices,
              std::string_view link) {
  TopologyBuilder builder(name + ":" + std::to_string(devices));
  add_devices(builder, accelerator, prefix, devices);
  const Ports ports = add_ports(builder, prefix, devices, bandwidth_of(link), latency_of(link));
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a != b) {
        builder.route(device_id(a), device_id(b), {ports.out[a], ports.in[b]});
      }
    }
  }
  return builder.freeze();
}

/// Devices of four speeds in turn; each two neighbours share links four times as fast as the rest.
Topology mixed(std::size_t devices) {
  constexpr std::array kShareOfPeak = {1.0, 0.5, 0.75, 0.25};
  TopologyBuilder builder("mixed:" + std::to_string(devices));
  for (std::size_t d = 0; d < devices; ++d) {
    const double share = kShareOfPeak[d % kShareOfPeak.size()];
    DeviceSpec device;
    device.name = "device" + std::to_string(d);
    device.type = "share " + std::to_string(share);
    device.peak = share * FlopsPerSecond{10e12};
    device.memory_bandwidth = share * BytesPerSecond{900e9};
    device.memory = Bytes{16e9};
    builder.add_device(device);
  }
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a != b) {
        const BytesPerSecond bandwidth{a / 2 == b / 2 ? 48e9 : 12e9};
        const LinkId link = builder.add_link(
            {std::to_string(a) + "->" + std::to_string(b), bandwidth, Seconds{0.0}});
        builder.route(device_id(a), device_id(b), {link});
      }
    }
  }
  return builder.freeze();
}

/// The link from socket 0 to 1, and the way back.
std::array<LinkId, 2> add_sockets(TopologyBuilder& builder) {
  return {builder.add_link({"socket0->1", bandwidth_of("qpi"), latency_of("qpi")}),
          builder.add_link({"socket1->0", bandwidth_of("qpi"), latency_of("qpi")})};
}

/// A host with two sockets, each with two devices of a kind behind its PCIe root.
Topology two_sockets(const std::string& name, std::string_view first, std::string_view second) {
  constexpr std::size_t devices = 4;
  TopologyBuilder builder(name + ":4");
  for (std::size_t d = 0; d < devices; ++d) {
    builder.add_device(make_device(d < 2 ? first : second, "gpu" + std::to_string(d)));
  }
  const Ports pcie =
      add_ports(builder, "gpu", devices, bandwidth_of("pcie3-x16"), latency_of("pcie3-x16"));
  const auto sockets = add_sockets(builder);
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a == b) {
        continue;
      }
      std::vector<LinkId> route = {pcie.out[a]};
      if (a / 2 != b / 2) {
        route.push_back(sockets[a / 2]);
      }
      route.push_back(pcie.in[b]);
      builder.route(device_id(a), device_id(b), std::move(route));
    }
  }
  return builder.freeze();
}

/// NVLink 2 links between each pair of a DGX-1 with V100: the hybrid cube mesh (NVIDIA DGX-1 white
/// paper, 2017). Six links a device; 0: the pair has none and goes by PCIe and the sockets.
constexpr int kCubeMesh[8][8] = {{0, 1, 1, 2, 2, 0, 0, 0},
                                 {1, 0, 2, 1, 0, 2, 0, 0},
                                 {1, 2, 0, 2, 0, 0, 1, 0},
                                 {2, 1, 2, 0, 0, 0, 0, 1},
                                 {2, 0, 0, 0, 0, 1, 1, 2},
                                 {0, 2, 0, 0, 1, 0, 2, 1},
                                 {0, 0, 1, 0, 1, 2, 0, 2},
                                 {0, 0, 0, 1, 2, 1, 2, 0}};

Topology dgx1_v100(std::size_t devices) {
  TopologyBuilder builder("dgx1-v100:" + std::to_string(devices));
  add_devices(builder, "V100-SXM2-16GB", "gpu", devices);
  // Two devices share a PCIe switch, and so one PCIe link to their socket.
  const Ports pcie =
      add_ports(builder, "switch", devices / 2, bandwidth_of("pcie3-x16"), latency_of("pcie3-x16"));
  const auto sockets = add_sockets(builder);
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a == b) {
        continue;
      }
      if (kCubeMesh[a][b] > 0) {
        const LinkId link =
            builder.add_link({"nvlink " + std::to_string(a) + "->" + std::to_string(b),
                              static_cast<double>(kCubeMesh[a][b]) * bandwidth_of("nvlink2-link"),
                              latency_of("nvlink2-link")});
        builder.route(device_id(a), device_id(b), {link});
      } else {
        builder.route(
            device_id(a), device_id(b), {pcie.out[a / 2], sockets[a / 4], pcie.in[b / 2]});
      }
    }
  }
  return builder.freeze();
}

constexpr std::array kPresets = {
    Preset{"uniform",
           "identical devices; a transfer costs exactly what the graph says",
           0,
           [](std::size_t n) { return Topology::uniform(n); }},
    Preset{"mixed",
           "speeds 1, 1/2, 3/4, 1/4 in turn; links between neighbours four times as fast as others",
           0,
           mixed},
    Preset{"p100",
           "4 P100 PCIe on two sockets, PCIe 3.0",
           4,
           [](std::size_t) { return two_sockets("p100", "P100-PCIE-16GB", "P100-PCIE-16GB"); }},
    Preset{
        "p100-v100",
        "2 P100 PCIe on one socket, 2 V100 PCIe on the other, PCIe 3.0",
        4,
        [](std::size_t) { return two_sockets("p100-v100", "P100-PCIE-16GB", "V100-PCIE-16GB"); }},
    Preset{"dgx1-v100", "8 V100 in NVLink's hybrid cube mesh, PCIe elsewhere", 8, dgx1_v100},
    Preset{"h100-nvswitch",
           "8 H100 SXM, every pair at full NVLink rate",
           8,
           [](std::size_t n) {
             return star("h100-nvswitch", "H100-SXM5-80GB", "gpu", n, "nvswitch3");
           }},
    Preset{"pcie-box",
           "A100 PCIe cards on one PCIe 4.0 switch",
           0,
           [](std::size_t n) { return star("pcie-box", "A100-PCIE-80GB", "gpu", n, "pcie4-x16"); }},
    Preset{"cpu",
           "cores of one host that copy through shared memory",
           0,
           [](std::size_t n) { return star("cpu", "cpu-core", "core", n, "core-copy"); }},
};

}  // namespace

std::span<const Preset> presets() {
  return kPresets;
}

}  // namespace berth::datasets
