// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "problem_view.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "berth/graph_levels.hpp"
#include "berth/memory_packing.hpp"

#include "column_scaling.hpp"
#include "device_symmetry.hpp"
#include "path_rows.hpp"

namespace berth::doppler {
namespace {

void fill_paths(
    const Graph& graph, const Levels& b, const Levels& t, PathRows rows, EncoderInput& input) {
  input.b_next = b.next;
  input.t_next = t.next;
  for (const OpId op : graph.topological_order()) {
    input.t_order.push_back(static_cast<std::int64_t>(index(op)));
  }
  input.b_order.assign(input.t_order.rbegin(), input.t_order.rend());
  if (rows == PathRows::kDepthFirst) {
    input.b_rows = depth_first_order(graph, Direction::kForward);
    input.t_rows = depth_first_order(graph, Direction::kBackward);
  }
}

Surroundings surroundings(const ProblemView& view) {
  Surroundings around;
  around.devices = static_cast<double>(view.num_devices());
  for (std::size_t v = 0; v < view.num_ops(); ++v) {
    around.longest_path = std::max(around.longest_path, view.compute_level[v]);
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
    for (std::size_t d = 0; d < view.num_devices(); ++d) {
      const double time = view.costs.compute(to_id<OpId>(v), to_id<DeviceId>(d));
      least = std::min(least, time);
      most = time < std::numeric_limits<double>::infinity() ? std::max(most, time) : most;
    }
    around.slowdown.push_back(least > 0.0 ? most / least : 1.0);
  }
  return around;
}

/// Whether the ops would overflow some device if all went there.
bool memory_can_run_out(const ProblemView& view) {
  const auto memory = view.graph.memory_bytes();
  const double all = std::accumulate(memory.begin(), memory.end(), 0.0);
  return std::ranges::any_of(view.costs.device_memory, [&](double bytes) { return all > bytes; });
}

}  // namespace

ProblemView make_view(const PlacementProblem& problem, const Settings& settings) {
  ProblemView view;
  view.graph = problem.graph;
  view.costs = problem.costs;
  view.scale = problem.lower_bound > 0.0 ? problem.lower_bound : 1.0;
  view.means = mean_costs(problem);
  const Graph& graph = view.graph;
  const Levels b = b_levels(graph, view.means);
  const Levels t = t_levels(graph, view.means, settings.t_level);
  view.b_level = b.level;
  view.compute_level = bottom_levels(graph, view.means.compute, {});
  view.runs = block_runs(graph);
  view.has_order = problem.execution.discipline != Discipline::kFifo;
  view.exchangeable = exchangeable_devices(problem);

  const std::vector<double> paper = paper_node_features(graph, view.means, b, t);
  view.in_transfer.resize(graph.num_ops());
  view.sibling_transfer.assign(graph.num_ops(), 0.0);
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    view.in_transfer[v] = paper[v * kPaperNodeColumns + 3];
  }
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    for (const OpId next : graph.successors(to_id<OpId>(v))) {
      view.sibling_transfer[v] += view.in_transfer[index(next)];
    }
  }
  if (memory_can_run_out(view)) {
    view.packing = pack_into_memory(problem);
  }

  const Architecture& architecture = settings.architecture;
  view.raw_features = architecture.rich_features
                          ? rich_node_features(graph, paper, view.runs, surroundings(view))
                          : paper;
  std::vector<double> scaled = view.raw_features;
  if (!architecture.rich_features) {
    normalise_columns(scaled, kPaperNodeColumns);
  }
  view.input.num_ops = graph.num_ops();
  view.input.num_devices = view.num_devices();
  view.input.node_features.assign(scaled.begin(), scaled.end());
  fill_message_graph(
      graph, view.means, settings.reverse_arc, architecture.edge_columns, view.input);
  fill_paths(graph, b, t, settings.path_rows, view.input);
  return view;
}

}  // namespace berth::doppler
