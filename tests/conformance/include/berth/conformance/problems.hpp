// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "berth/graph.hpp"
#include "berth/problem.hpp"
#include "berth/rng.hpp"
#include "berth/topology.hpp"

namespace berth::conformance {

using Problem = std::shared_ptr<const PlacementProblem>;

namespace detail {

inline OpSpec op(double work) {
  OpSpec spec;
  spec.work = work;
  return spec;
}

/// Edges from each op to up to two later ones; size 0 where `sized` is false.
inline Graph random_graph(const std::string& name, std::size_t ops, bool sized) {
  GraphBuilder builder(name);
  Rng rng(20, {ops});
  for (std::size_t v = 0; v < ops; ++v) {
    OpSpec spec = op(static_cast<double>(1 + rng.below(9)));
    spec.kind = v % 3 == 0 ? "join" : "map";
    builder.add_op(std::move(spec));
  }
  for (std::size_t v = 0; v + 1 < ops; ++v) {
    for (int k = 0; k < 2; ++k) {
      const std::size_t to = v + 1 + rng.below(ops - v - 1);
      builder.add_edge(
          to_id<OpId>(v), to_id<OpId>(to), sized ? static_cast<double>(1 + rng.below(5)) : 0.0);
    }
  }
  return builder.freeze();
}

inline Problem on_uniform(const Graph& graph, std::size_t devices) {
  return make_problem(graph.name(), graph, Topology::uniform(devices), {});
}

}  // namespace detail

/// 24 ops, 3 devices: small enough to be quick, large enough that placements differ.
inline Problem ordinary_problem() {
  return detail::on_uniform(detail::random_graph("ordinary", 24, true), 3);
}

/// Where policies break: nothing to place, nothing to choose, nothing to send, more devices than
/// ops, devices of different speed, ops that only some devices can run.
inline std::vector<Problem> problems() {
  std::vector<Problem> all = {ordinary_problem()};
  all.push_back(detail::on_uniform(GraphBuilder("empty").freeze(), 2));
  all.push_back(detail::on_uniform(detail::random_graph("one-op", 1, true), 2));
  all.push_back(detail::on_uniform(detail::random_graph("one-device", 8, true), 1));
  all.push_back(detail::on_uniform(detail::random_graph("zero-byte-edges", 8, false), 2));
  all.push_back(detail::on_uniform(detail::random_graph("more-devices-than-ops", 3, true), 7));

  GraphBuilder free_ops("zero-cost-ops");
  for (int i = 0; i < 4; ++i) {
    free_ops.add_op(detail::op(0.0));
  }
  free_ops.add_edge(OpId{0}, OpId{3}, 0.0);
  all.push_back(detail::on_uniform(free_ops.freeze(), 2));

  GraphBuilder choosy("ops-for-some-devices");
  for (std::size_t v = 0; v < 6; ++v) {
    OpSpec spec = detail::op(2.0);
    spec.eligible = {to_id<DeviceId>(v % 3)};
    choosy.add_op(std::move(spec));
  }
  choosy.add_edge(OpId{0}, OpId{4}, 1.0).add_edge(OpId{1}, OpId{5}, 1.0);
  all.push_back(detail::on_uniform(choosy.freeze(), 3));

  TopologyBuilder uneven("uneven");
  DeviceSpec fast;
  fast.peak = {4.0};
  uneven.add_device(fast);
  uneven.add_device({});
  const LinkId link = uneven.add_link({});
  uneven.route(DeviceId{0}, DeviceId{1}, {link}).route(DeviceId{1}, DeviceId{0}, {link});
  const Graph graph = detail::random_graph("devices-of-different-speed", 10, true);
  all.push_back(make_problem(graph.name(), graph, uneven.freeze(), {}));
  return all;
}

}  // namespace berth::conformance
