// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "berth/problem.hpp"
#include "berth/rng.hpp"

namespace berth {

struct SmallEdge {
  unsigned from;
  unsigned to;
  double size;
};

/// A graph in time units from op durations and edges.
inline Graph small_graph(const std::vector<double>& work, const std::vector<SmallEdge>& edges) {
  GraphBuilder builder("small");
  for (const double time : work) {
    OpSpec op;
    op.work = time;
    builder.add_op(op);
  }
  for (const SmallEdge& edge : edges) {
    builder.add_edge(to_id<OpId>(edge.from), to_id<OpId>(edge.to), edge.size);
  }
  return builder.freeze();
}

inline std::vector<DeviceId> on_devices(const std::vector<unsigned>& devices) {
  std::vector<DeviceId> placement;
  for (const unsigned device : devices) {
    placement.push_back(to_id<DeviceId>(device));
  }
  return placement;
}

inline std::shared_ptr<const PlacementProblem> uniform_problem(const Graph& graph,
                                                               std::size_t devices,
                                                               const ExecutionOptions& execution) {
  return make_problem("small", graph, Topology::uniform(devices), execution);
}

inline ExecutionOptions under(ExecutionModel model, Discipline discipline = Discipline::kAuto) {
  ExecutionOptions execution;
  execution.model = model;
  execution.discipline = discipline;
  return execution;
}

/// A random graph with edges from lower to higher ids. Durations are integers from `least_time`
/// to 4, transfers from 0 to 6: few values, many ties.
inline Graph random_graph(Rng& rng, std::size_t ops, std::uint64_t least_time) {
  std::vector<double> work;
  std::vector<SmallEdge> edges;
  for (unsigned v = 0; v < ops; ++v) {
    work.push_back(static_cast<double>(least_time + rng.below(5 - least_time)));
    for (unsigned u = 0; u < v; ++u) {
      if (rng.below(ops) < 2) {
        edges.push_back({u, v, static_cast<double>(rng.below(7))});
      }
    }
  }
  return small_graph(work, edges);
}

inline std::vector<DeviceId> random_placement(Rng& rng, std::size_t ops, std::size_t devices) {
  std::vector<DeviceId> placement;
  for (std::size_t v = 0; v < ops; ++v) {
    placement.push_back(to_id<DeviceId>(rng.below(devices)));
  }
  return placement;
}

/// Three devices of speeds 1, 1/2 and 1/4 whose transfers all cross one bus and have latency.
inline Topology mixed_bus() {
  TopologyBuilder builder("mixed-bus");
  for (const double peak : {4.0, 2.0, 1.0}) {
    DeviceSpec device;
    device.peak = FlopsPerSecond{peak};
    builder.add_device(device);
  }
  const LinkId bus = builder.add_link({"bus", BytesPerSecond{8.0}, Seconds{0.5}});
  const LinkId side = builder.add_link({"side", BytesPerSecond{2.0}, Seconds{0.25}});
  for (unsigned a = 0; a < 3; ++a) {
    for (unsigned b = 0; b < 3; ++b) {
      if (a != b) {
        const bool far = a == 2 || b == 2;
        builder.route(to_id<DeviceId>(a),
                      to_id<DeviceId>(b),
                      far ? std::vector<LinkId>{bus, side} : std::vector<LinkId>{bus});
      }
    }
  }
  return builder.freeze();
}

}  // namespace berth
