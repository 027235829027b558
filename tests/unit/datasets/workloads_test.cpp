// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "datasets/workloads/layered_random.hpp"
#include "datasets/workloads/workload.hpp"
#include "scratch.hpp"

namespace berth::datasets {
namespace {

using tests::message_of;

Graph physical(const char* name, std::size_t devices = 4) {
  WorkloadSpec spec;
  spec.name = name;
  spec.devices = devices;
  spec.costs = CostMode::kPhysical;
  return make_workload(spec);
}

double sum(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// 1e4-square matrices in 2 x 2 x 4 blocks: 1e12 / 16 multiply-adds; output 1e8 / 4 elements.
TEST(Workloads, ChainMmHasThePhysicalCostsOfItsBlocks) {
  const Graph graph = physical("chain-mm");

  EXPECT_EQ(graph.work()[0], 2.0 * 6.25e10);
  EXPECT_EQ(graph.output_bytes()[0], 4.0 * 2.5e7);
  EXPECT_EQ(graph.output_bytes()[20], 4.0 * 1.25e7);
  EXPECT_EQ(graph.output_bytes()[44], 4.0 * 1.25e7);
  // Block 0 reads 5000 x 2500 of D and 2500 x 5000 of E and writes 5000 x 5000.
  EXPECT_EQ(graph.touched_bytes()[0], 4.0 * (2 * 5000.0 * 2500.0 + 5000.0 * 5000.0));
  // The first formation reads four partials of 2.5e7 elements and writes one.
  EXPECT_EQ(graph.touched_bytes()[16], 4.0 * 5 * 2.5e7);
}

// Sums over edges of output elements times 4 bytes, as listed in the DOPPLER specification. The
// transformer graphs have 4 x 8388608 complex elements on edges, which are twice as large here.
TEST(Workloads, MoveThePhysicalBytesThatTheSpecificationLists) {
  const double complex = 4.0 * 8388608.0 * 4.0;

  EXPECT_NEAR(sum(physical("chain-mm").edge_size()), 5.600e9, 1e6);
  EXPECT_NEAR(sum(physical("ffnn").edge_size()), 25.833e9, 1e6);
  EXPECT_NEAR(sum(physical("llama-block").edge_size()), 26.185e9 + complex, 1e6);
  // The layer's turns are complex too: 262144 of them go to four ops of q and two of k.
  EXPECT_NEAR(
      sum(physical("llama-layer").edge_size()), 28.505e9 + complex + 6.0 * 262144.0 * 4.0, 1e6);
}

// 4096^3 / 4 multiply-adds and 4096^2 / 4 elements; feed-forward net and logits likewise.
TEST(Workloads, LlamaLayerHasThePhysicalCostsOfItsBlocks) {
  const Graph graph = physical("llama-layer");

  EXPECT_EQ(graph.work()[33], 2.0 * 17179869184.0);
  EXPECT_EQ(graph.output_bytes()[33], 4.0 * 4194304.0);
  EXPECT_EQ(graph.work()[193], 2.0 * 46170898432.0);
  EXPECT_EQ(graph.output_bytes()[193], 4.0 * 8388608.0);
  EXPECT_EQ(graph.work()[221], 2.0 * 32768000.0);
  EXPECT_EQ(graph.output_bytes()[221], 4.0 * 8000.0);
}

TEST(Workloads, LlamaModelIsTheLayerAsOftenAsAsked) {
  const auto model = [](std::size_t layers, CostMode costs) {
    WorkloadSpec spec;
    spec.name = "llama-model";
    spec.costs = costs;
    spec.extents = {{'l', layers}};
    return make_workload(spec);
  };
  WorkloadSpec layer;
  layer.name = "llama-layer";
  for (const CostMode costs : {CostMode::kReference, CostMode::kPhysical}) {
    layer.costs = costs;
    EXPECT_EQ(model(1, costs).hash(), make_workload(layer).hash());
    // Mask, turns of positions, last norm and logits come once: 31 ops.
    EXPECT_EQ(model(1, costs).num_ops(), 31U + 198U);
    EXPECT_EQ(model(5, costs).num_ops(), 31U + 5U * 198U);
    const double first = sum(model(2, costs).work()) - sum(model(1, costs).work());
    EXPECT_NEAR(sum(model(3, costs).work()) - sum(model(2, costs).work()), first, 1e-9 * first);
  }
  const Graph three = model(3, CostMode::kPhysical);
  // A layer begins with what the one before ends with.
  const auto find = [&](const std::string& name) {
    for (std::size_t v = 0; v < three.num_ops(); ++v) {
      if (three.op_name(to_id<OpId>(v)) == name) {
        return to_id<OpId>(v);
      }
    }
    ADD_FAILURE() << "no op " << name;
    return OpId{};
  };
  const auto next = three.successors(find("layer 1 residual2[1,0]"));
  EXPECT_NE(std::ranges::find(next, find("layer 2 norm1 widen[1,0]")), next.end());
}

TEST(Workloads, RefuseLayersWithoutEnd) {
  WorkloadSpec spec;
  spec.name = "llama-model";
  spec.extents = {{'l', 1025}};
  EXPECT_EQ(message_of([&] { static_cast<void>(make_workload(spec)); }),
            "extents of 'llama-model': 1025 layers 'l'; expected 1 to 1024");
  spec.extents = {{'l', 1024}};
  spec.devices = 65;
  EXPECT_EQ(message_of([&] { static_cast<void>(make_workload(spec)); }),
            "workload 'llama-model': 1024 layers on 65 devices; expected at most 65536 as their "
            "product");
}

TEST(Workloads, DoTheSameArithmeticOnAnyNumberOfDevices) {
  for (const std::string_view name : workload_names()) {
    const std::string text(name);
    const auto flops_of = [&](std::size_t devices) {
      const Graph graph = physical(text.c_str(), devices);
      double flops = 0.0;  // of contractions and maps; formations grow with the partials
      for (std::size_t v = 0; v < graph.num_ops(); ++v) {
        flops += graph.kind(to_id<OpId>(v)) == "einsummable" ? graph.work()[v] : 0.0;
      }
      return flops;
    };
    const double expected = flops_of(1);
    for (const std::size_t devices : {2U, 3U, 4U, 6U, 7U, 8U, 12U, 64U}) {
      EXPECT_NEAR(flops_of(devices) / expected, 1.0, 1e-3) << name << " on " << devices;
    }
  }
}

TEST(Workloads, TakeTheUsersSharding) {
  WorkloadSpec spec;
  spec.name = "chain-mm";
  spec.shards = {{"de", "k4j1l1"}};

  EXPECT_EQ(make_workload(spec).num_ops(), 76U - 12U);  // 4 + 4 instead of 16 + 4 blocks
}

TEST(Workloads, RefuseUnknownNamesOperationsAndShards) {
  WorkloadSpec spec;
  spec.name = "chain-nn";
  EXPECT_EQ(message_of([&] { static_cast<void>(make_workload(spec)); }),
            "unknown workload 'chain-nn'; did you mean 'chain-mm'?");
  spec.name = "chain-mm";
  spec.devices = 0;
  EXPECT_EQ(message_of([&] { static_cast<void>(make_workload(spec)); }),
            "workload 'chain-mm': 0 devices; expected 1 to 1024");
  spec.devices = 4;
  spec.shards = {{"q", "s2"}};
  EXPECT_EQ(message_of([&] { static_cast<void>(make_workload(spec)); }),
            "sharding of 'q': no such operation in 'chain-mm'; expected one of ab, cde, de, sum");
  spec.shards = {{"sum", "z2"}};
  EXPECT_EQ(message_of([&] { static_cast<void>(make_workload(spec)); }),
            "sharding of 'sum': 2 parts along 'z'; expected axes among 'ij' and no more parts than "
            "elements");
  spec.shards = {{"sum", "i0"}};
  EXPECT_EQ(message_of([&] { static_cast<void>(make_workload(spec)); }),
            "sharding 'i0': expected axis letters, each once and with a number from 1 (e.g. "
            "'s2n4')");
}

TEST(LayeredRandom, IsFixedByItsSeedAndOrderedByItsIds) {
  LayeredSpec spec;
  spec.ops = 500;
  spec.layers = 20;
  spec.degree = 3;
  spec.seed = 7;
  const Graph graph = make_layered_random(spec);

  EXPECT_EQ(graph.hash(), make_layered_random(spec).hash());
  EXPECT_EQ(graph.num_edges(), 3U * (500U - 25U));
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    EXPECT_EQ(graph.predecessors(to_id<OpId>(v)).size(), v < 25 ? 0U : 3U);
    for (const OpId successor : graph.successors(to_id<OpId>(v))) {
      EXPECT_LT(v, index(successor));
    }
  }
  spec.seed = 8;
  EXPECT_NE(graph.hash(), make_layered_random(spec).hash());
}

TEST(LayeredRandom, HasTheMeanEdgeSizeThatTheCcrAsksFor) {
  LayeredSpec spec;
  spec.ops = 20000;
  spec.ccr = 2.0;
  const Graph graph = make_layered_random(spec);

  EXPECT_NEAR(sum(graph.edge_size()) / static_cast<double>(graph.num_edges()), 101.5, 2.0);
  spec.ccr = 0.0;
  EXPECT_EQ(sum(make_layered_random(spec).edge_size()), 0.0);
}

TEST(LayeredRandom, MakesTheEmptyGraphAndRefusesNonsense) {
  LayeredSpec spec;
  spec.ops = 0;
  EXPECT_EQ(make_layered_random(spec).num_ops(), 0U);
  spec.layers = 3;
  EXPECT_EQ(message_of([&] { static_cast<void>(make_layered_random(spec)); }),
            "layered graph of 0 ops, 3 layers, degree 2: expected at most as many layers as ops, "
            "degree >= 1 and a finite ccr >= 0");
}

}  // namespace
}  // namespace berth::datasets
