// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "problem_view.hpp"

#include <algorithm>
#include <limits>

#include "berth/graph_levels.hpp"

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
  const auto memory = graph.memory_bytes();
  const bool needs_memory =
      std::any_of(memory.begin(), memory.end(), [](double bytes) { return bytes > 0.0; });
  view.has_memory_limit =
      needs_memory &&
      std::any_of(view.costs.device_memory.begin(),
                  view.costs.device_memory.end(),
                  [](double bytes) { return bytes < std::numeric_limits<double>::infinity(); });

  const Architecture& architecture = settings.architecture;
  view.raw_features =
      architecture.rich_features ? rich_node_features(graph, paper, view.runs) : paper;
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
