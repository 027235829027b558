// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "berth/simulator.hpp"

#include "calibration.hpp"

namespace berth::launcher {
namespace {

/// Devices that may run the op, by its list and by its times; empty: all.
std::vector<DeviceId> eligible_devices(const Graph& graph, OpId op) {
  const auto listed = graph.eligible(op);
  std::vector<DeviceId> devices(listed.begin(), listed.end());
  const std::size_t timed = graph.device_time().size() / graph.num_ops();
  const auto times = graph.device_time().subspan(index(op) * timed, timed);
  if (std::ranges::none_of(times, [](double time) { return std::isinf(time); })) {
    return devices;
  }
  if (devices.empty()) {
    for (std::size_t d = 0; d < timed; ++d) {
      devices.push_back(to_id<DeviceId>(d));
    }
  }
  std::erase_if(devices, [&](DeviceId device) { return std::isinf(times[index(device)]); });
  return devices;
}

}  // namespace

Topology calibrated_topology(const Topology& topology, const Calibration& found, bool fit_links) {
  TopologyBuilder builder(topology.name() + ", calibrated");
  const std::size_t devices = topology.num_devices();
  for (std::size_t d = 0; d < devices; ++d) {
    DeviceSpec device = topology.device(to_id<DeviceId>(d));
    device.op_rates = found.rates;
    device.op_rates.insert(
        device.op_rates.end(), found.shape_rates.begin(), found.shape_rates.end());
    builder.add_device(std::move(device));
  }
  const bool measured = fit_links && found.transfers > 0 && found.link.slope > 0.0;
  for (std::size_t l = 0; l < topology.num_links() && !measured; ++l) {
    builder.add_link(topology.link(to_id<LinkId>(l)));
  }
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a == b) {
        continue;
      }
      const auto from = to_id<DeviceId>(a);
      const auto to = to_id<DeviceId>(b);
      const auto route = topology.route(from, to);
      std::vector<LinkId> links(route.begin(), route.end());
      if (measured) {
        links = {builder.add_link({"copy " + std::to_string(a) + "->" + std::to_string(b),
                                   BytesPerSecond{1.0 / found.link.slope},
                                   Seconds{found.link.offset + found.dispatch_seconds}})};
      }
      builder.route(from, to, std::move(links));
    }
  }
  return builder.freeze();
}

Graph untimed_graph(const Graph& graph) {
  return calibrated_graph(graph, {}, 0);
}

Graph calibrated_graph(const Graph& graph,
                       std::span<const double> op_seconds,
                       std::size_t devices) {
  GraphBuilder builder(graph.name());
  builder.cost_basis(graph.cost_basis(), graph.seconds_per_unit());
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    const auto op = to_id<OpId>(v);
    OpSpec spec;
    spec.name = graph.op_name(op);
    spec.kind = graph.kind(op);
    spec.kernel = graph.kernel(op);
    spec.work = graph.work()[v];
    spec.output_bytes = graph.output_bytes()[v];
    spec.touched_bytes = graph.touched_bytes()[v];
    spec.memory_bytes = graph.memory_bytes()[v];
    for (std::size_t d = 0; d < devices; ++d) {
      spec.device_time.push_back(op_seconds[v * devices + d] / graph.seconds_per_unit());
    }
    spec.eligible = eligible_devices(graph, op);
    builder.add_op(std::move(spec));
  }
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      builder.add_edge(to_id<OpId>(v), graph.out_targets()[e], graph.edge_size()[e]);
    }
  }
  return builder.freeze();
}

std::vector<double> simulated_seconds(const PlacementProblem& problem,
                                      const Topology& topology,
                                      std::span<const double> op_seconds,
                                      std::span<const Placement> placements) {
  const auto priced =
      make_problem(problem.name,
                   calibrated_graph(problem.graph, op_seconds, topology.num_devices()),
                   topology,
                   problem.execution);
  Simulator simulator(*priced);
  std::vector<double> seconds;
  for (const Placement& placement : placements) {
    seconds.push_back(simulator.makespan(placement.device) * priced->costs.seconds_per_unit);
  }
  return seconds;
}

}  // namespace berth::launcher
