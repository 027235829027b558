// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "datasets/topology_file.hpp"

#include <gtest/gtest.h>

#include "berth/cost_table.hpp"
#include "berth/error.hpp"

#include "datasets/accelerators.hpp"
#include "datasets/topology_json.hpp"

namespace berth::datasets {
namespace {

template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string refusal(const std::string& body) {
  return message_of([&] {
    static_cast<void>(read_topology_json(
        {"topology.json", R"({"format":"berth.topology","version":1,)" + body + "}"}));
  });
}

TEST(TopologyPresets, AreAllReadableByTheirListedName) {
  for (const TopologyPreset& preset : topology_presets()) {
    std::string word = preset.name;
    if (word.ends_with(":N")) {
      word.replace(word.size() - 1, 1, "3");
    }
    const Topology topology = make_topology(word);
    EXPECT_GE(topology.num_devices(), 3U) << word;
    EXPECT_EQ(topology.name(), word);
    EXPECT_FALSE(preset.summary.empty());
  }
}

TEST(TopologyFile, NamesThePlaceOfALinkForAllPairsThatNoTransferCrosses) {
  EXPECT_EQ(
      refusal(R"("devices":[{"peak":"1TFLOPS"},{"peak":"1TFLOPS"}],
                       "all_pairs":{"bandwidth":"0GB/s"})"),
      "topology.json:/all_pairs: link 'pair 0->1': bandwidth: expected a finite bandwidth > 0");
}

TEST(TopologyPresets, UniformCostsATransferWhatTheGraphSays) {
  GraphBuilder builder;
  builder.add_op({});
  const CostTable costs = price(builder.freeze(), make_topology("uniform:4"));

  EXPECT_EQ(costs.num_devices, 4U);
  EXPECT_EQ(costs.transfer(7.0, DeviceId{0}, DeviceId{3}), 7.0);
}

TEST(TopologyPresets, MixedBoxesHaveDevicesOfDifferentSpeed) {
  GraphBuilder builder;
  OpSpec op;
  op.work = 12.0;
  builder.add_op(op);
  const CostTable mixed = price(builder.freeze(), make_topology("mixed:4"));
  const Topology box = make_topology("p100-v100");

  // 12 units on the fastest: 12, 24, 16, 48; a transfer of 7 units over the fastest link takes 7.
  EXPECT_EQ(mixed.compute(OpId{0}, DeviceId{1}), 24.0);
  EXPECT_EQ(mixed.compute(OpId{0}, DeviceId{2}), 16.0);
  EXPECT_EQ(mixed.compute(OpId{0}, DeviceId{3}), 48.0);
  EXPECT_EQ(mixed.transfer(7.0, DeviceId{0}, DeviceId{1}), 7.0);
  EXPECT_EQ(mixed.transfer(7.0, DeviceId{1}, DeviceId{2}), 28.0);
  EXPECT_EQ(box.device(DeviceId{1}).peak.value, 9.3e12);
  EXPECT_EQ(box.device(DeviceId{2}).peak.value, 14e12);
}

// Table of the DGX-1 white paper: every V100 has six NVLinks; 0-4 has two, 0-1 one, 0-7 none.
TEST(TopologyPresets, DgxJoinsEightDevicesInAHybridCubeMesh) {
  const Topology dgx = make_topology("dgx1-v100");

  EXPECT_EQ(dgx.bandwidth(DeviceId{0}, DeviceId{4}).value, 50e9);
  EXPECT_EQ(dgx.bandwidth(DeviceId{0}, DeviceId{1}).value, 25e9);
  EXPECT_EQ(dgx.bandwidth(DeviceId{0}, DeviceId{7}).value, 12e9);
  for (std::size_t a = 0; a < 8; ++a) {
    double links = 0.0;
    for (std::size_t b = 0; b < 8; ++b) {
      const auto route =
          a == b ? std::span<const LinkId>() : dgx.route(to_id<DeviceId>(a), to_id<DeviceId>(b));
      if (route.size() == 1) {
        links += dgx.link(route[0]).bandwidth.value / 25e9;
        EXPECT_EQ(dgx.bandwidth(to_id<DeviceId>(a), to_id<DeviceId>(b)),
                  dgx.bandwidth(to_id<DeviceId>(b), to_id<DeviceId>(a)));
      }
    }
    EXPECT_EQ(links, 6.0) << a;
  }
}

TEST(TopologyPresets, P100ServerCrossesSocketsBetweenItsHalves) {
  const Topology server = make_topology("p100:4");

  EXPECT_EQ(server.route(DeviceId{0}, DeviceId{1}).size(), 2U);
  EXPECT_EQ(server.route(DeviceId{1}, DeviceId{2}).size(), 3U);
  EXPECT_EQ(server.device(DeviceId{3}).peak.value, 9.3e12);
  EXPECT_EQ(server.device(DeviceId{3}).memory.value, 16.0 * 1073741824.0);
}

TEST(TopologyPresets, RefuseWrongNamesAndCountsByNamingTheNearest) {
  EXPECT_EQ(message_of([] { static_cast<void>(make_topology("unifrom:4")); }),
            "topology 'unifrom:4': no such file or preset; did you mean 'uniform'?");
  EXPECT_EQ(message_of([] { static_cast<void>(make_topology("uniform")); }),
            "topology 'uniform': '' devices; expected uniform:N with N from 1 to 4096");
  EXPECT_EQ(message_of([] { static_cast<void>(make_topology("uniform:0")); }),
            "topology 'uniform:0': '0' devices; expected uniform:N with N from 1 to 4096");
  EXPECT_EQ(message_of([] { static_cast<void>(make_topology("uniform:-1")); }),
            "topology 'uniform:-1': '-1' devices; expected uniform:N with N from 1 to 4096");
  EXPECT_EQ(message_of([] { static_cast<void>(make_topology("p100:5")); }),
            "topology 'p100:5': '5' devices; expected p100:4");
}

TEST(Accelerators, SayWhereTheirNumbersComeFrom) {
  for (const Accelerator& accelerator : accelerators()) {
    EXPECT_NE(accelerator.source.find("(20"), std::string_view::npos) << accelerator.name;
    EXPECT_GT(make_device(accelerator.name, "d").peak.value, 0.0);
    EXPECT_EQ(accelerator.price_per_hour > 0.0,
              accelerator.price_source.find("(20") != std::string_view::npos)
        << accelerator.name;
  }
  for (const NodeLink& link : node_links()) {
    EXPECT_NE(link.source.find("20"), std::string_view::npos) << link.name;
    EXPECT_GT(parse_bandwidth(link.bandwidth).value, parse_bandwidth(link.network).value);
    EXPECT_NO_THROW(static_cast<void>(make_device(link.accelerator, "d")));
  }
  for (const LinkRate& rate : link_rates()) {
    EXPECT_NE(rate.source.find("20"), std::string_view::npos) << rate.name;
  }
  EXPECT_EQ(message_of([] { static_cast<void>(make_device("P100-PCIE-16", "d")); }),
            "unknown accelerator 'P100-PCIE-16'; did you mean 'P100-PCIE-16GB'?");
}

TEST(TopologyJson, KeepsEveryPresetInARoundTrip) {
  for (const char* name : {"uniform:3", "p100:4", "dgx1-v100:8", "h100-nvswitch:8", "cpu:2"}) {
    const Topology topology = make_topology(name);

    const Topology again = read_topology_json({"t.json", write_topology_json(topology)});

    EXPECT_EQ(again.hash(), topology.hash()) << name;
    EXPECT_EQ(again.name(), name);
  }
}

TEST(TopologyJson, FillsInAcceleratorsAndPairs) {
  const Topology topology = read_topology_json({"box.json", R"({
    "format": "berth.topology", "version": 1,
    "devices": [{"name": "fast", "accelerator": "V100-SXM2-16GB", "memory": "12GiB"},
                {"name": "slow", "type": "old", "peak": "1 TFLOPS"},
                {"peak": "1TFLOPS"}],
    "links": [{"name": "wire", "bandwidth": "80Gbit/s", "latency": "7us"}],
    "routes": [{"from": "fast", "to": 1, "links": ["wire"]}],
    "all_pairs": {"bandwidth": "1GB/s"}})"});

  EXPECT_EQ(topology.name(), "box");
  EXPECT_EQ(topology.device(DeviceId{0}).peak.value, 15.7e12);
  EXPECT_EQ(topology.device(DeviceId{0}).memory.value, 12.0 * 1073741824.0);
  EXPECT_EQ(topology.device(DeviceId{2}).name, "device2");
  EXPECT_EQ(topology.bandwidth(DeviceId{0}, DeviceId{1}).value, 10e9);
  EXPECT_DOUBLE_EQ(topology.latency(DeviceId{0}, DeviceId{1}).value, 7e-6);
  EXPECT_EQ(topology.bandwidth(DeviceId{1}, DeviceId{0}).value, 1e9);
}

TEST(TopologyJson, NamesThePlaceOfAWrongValue) {
  EXPECT_EQ(refusal(R"("devices":[{"peak":"1TFLOPS"}],"links":[{"bandwidth":"12"}])"),
            "topology.json:/links/0/bandwidth: '12' has no unit (e.g. '12GB/s')");
  EXPECT_EQ(refusal(R"("devices":[{"peak":"1TFLOPS"}],"links":[{"bandwidth":12}])"),
            "topology.json:/links/0/bandwidth: found 12; expected text with a unit (e.g. "
            "'12GB/s')");
  EXPECT_EQ(refusal(R"("devices":[{"peak":"0FLOPS"}])"),
            "topology.json:/devices/0: device 'device0': peak: expected a finite rate > 0");
  EXPECT_EQ(refusal(R"("devices":[{"name":"a"}])"),
            "topology.json:/devices/0: no key 'peak'; expected a rate (e.g. '9.3TFLOPS') or an "
            "accelerator");
  EXPECT_EQ(refusal(R"("devices":[])"),
            "topology.json: topology 'topology' has no device: expected at least one");
  EXPECT_EQ(refusal(R"("devices":[{"peak":"1FLOPS"},{"peak":"1FLOPS"}])"),
            "topology.json: topology 'topology': no route from 'device0' to 'device1': expected a "
            "route for every ordered pair of devices");
  EXPECT_EQ(refusal(R"("devices":[{"peak":"1FLOPS"}],"routes":[{"from":"x","to":0,"links":[]}])"),
            "topology.json:/routes/0/from: no device is called 'x'");
  EXPECT_EQ(refusal(R"("device":[])"),
            "topology.json: unknown key 'device'; did you mean 'devices'?");
}

}  // namespace
}  // namespace berth::datasets
