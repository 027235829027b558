// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "learned_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>

#include "berth/error.hpp"

#include "column_scaling.hpp"
#include "device_codes.hpp"

namespace berth::learned {
namespace {

constexpr std::size_t kMostRelatedOps = 90'000;  // Their square in bits is a gigabyte.

doppler::RowSums rows_of(const Graph& graph, bool predecessors) {
  doppler::RowSums sums;
  sums.inputs = graph.num_ops();
  sums.offsets.push_back(0);
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    const auto op = to_id<OpId>(v);
    for (const OpId near : predecessors ? graph.predecessors(op) : graph.successors(op)) {
      sums.columns.push_back(static_cast<std::int64_t>(index(near)));
    }
    sums.offsets.push_back(static_cast<std::int64_t>(sums.columns.size()));
  }
  return sums;
}

void fill_order(const Graph& graph, NetGraph& net) {
  bool by_id = true;
  for (std::size_t v = 0; v < graph.num_ops() && by_id; ++v) {
    by_id = std::ranges::all_of(graph.successors(to_id<OpId>(v)),
                                [&](OpId next) { return index(next) > v; });
  }
  net.order.resize(graph.num_ops());
  std::iota(net.order.begin(), net.order.end(), std::int64_t{0});
  if (!by_id) {
    std::ranges::transform(graph.topological_order(), net.order.begin(), [](OpId op) {
      return static_cast<std::int64_t>(index(op));
    });
  }
  net.step.resize(graph.num_ops());
  for (std::size_t i = 0; i < net.order.size(); ++i) {
    net.step[static_cast<std::size_t>(net.order[i])] = static_cast<std::int64_t>(i);
  }
}

/// Bits of row v: v and its ancestors; then the transpose is joined, its descendants.
void fill_related(const Graph& graph, NetGraph& net) {
  const std::size_t words = net.words();
  net.related.assign(net.num_ops * words, 0);
  for (const OpId op : graph.topological_order()) {
    std::uint64_t* row = net.related.data() + index(op) * words;
    row[index(op) / 64] |= std::uint64_t{1} << (index(op) % 64);
    for (const OpId before : graph.predecessors(op)) {
      const std::uint64_t* other = net.related.data() + index(before) * words;
      for (std::size_t w = 0; w < words; ++w) {
        row[w] |= other[w];
      }
    }
  }
  for (std::size_t v = 0; v < net.num_ops; ++v) {
    for (std::size_t u = 0; u < v; ++u) {
      const bool either = net.is_related(v, u) || net.is_related(u, v);
      if (either) {
        net.related[v * words + u / 64] |= std::uint64_t{1} << (u % 64);
        net.related[u * words + v / 64] |= std::uint64_t{1} << (v % 64);
      }
    }
  }
}

/// Columns of costs: comp, and the "output size" of the published code, the comp of successors.
std::vector<double> cost_columns(const Graph& graph, const doppler::MeanCosts& means) {
  std::vector<double> x(graph.num_ops() * 2, 0.0);
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    x[2 * v] = means.compute[v];
    for (const OpId next : graph.successors(to_id<OpId>(v))) {
      x[2 * v + 1] += means.compute[index(next)];
    }
  }
  return x;
}

std::size_t kind_number(const std::string& kind) {
  constexpr std::array<std::string_view, kGdpKinds> kKinds = {
      "input", "formation", "complexer", "squeezer", "fill", "select", "einsummable", "unknown"};
  const auto found = std::ranges::find(kKinds, kind);
  return found == kKinds.end() ? kGdpKinds - 1 : static_cast<std::size_t>(found - kKinds.begin());
}

void fill_features(const Graph& graph,
                   const doppler::MeanCosts& means,
                   const LearnedSettings& settings,
                   NetGraph& net) {
  std::vector<double> costs = cost_columns(graph, means);
  if (settings.scales_features) {
    doppler::normalise_columns(costs, 2);
  }
  if (settings.most_inputs == 0) {
    net.columns = 2;
    net.features.assign(costs.begin(), costs.end());
    return;
  }
  const double per_id = settings.scales_features
                            ? 1.0 / static_cast<double>(std::max<std::size_t>(1, net.num_ops))
                            : 1.0;
  net.columns = kGdpKinds + 1 + settings.most_inputs;
  net.features.assign(net.num_ops * net.columns, 0.0F);
  for (std::size_t v = 0; v < net.num_ops; ++v) {
    const auto op = to_id<OpId>(v);
    float* row = net.features.data() + v * net.columns;
    row[kind_number(graph.kind(op))] = 1.0F;
    row[kGdpKinds] = static_cast<float>(costs[2 * v + 1]);
    const auto inputs = graph.predecessors(op);
    for (std::size_t k = 0; k < settings.most_inputs; ++k) {
      row[kGdpKinds + 1 + k] =
          k < inputs.size() ? static_cast<float>(static_cast<double>(index(inputs[k])) * per_id)
                            : -1.0F;
    }
  }
}

void fill_devices(const doppler::ProblemView& view, NetGraph& net) {
  const std::size_t devices = view.num_devices();
  net.num_devices = devices;
  net.device_codes = device_codes(devices);
  if (view.costs.num_classes < 2) {
    return;
  }
  net.device_times.assign(net.num_ops * devices, 0.0F);
  for (std::size_t v = 0; v < net.num_ops; ++v) {
    for (std::size_t d = 0; d < devices && view.means.compute[v] > 0.0; ++d) {
      const double time = view.costs.compute(to_id<OpId>(v), to_id<DeviceId>(d));
      if (std::isfinite(time)) {
        net.device_times[v * devices + d] = static_cast<float>(time / view.means.compute[v] - 1.0);
      }
    }
  }
}

}  // namespace

LearnedView make_learned_view(const PlacementProblem& problem, const LearnedSettings& settings) {
  if (settings.needs_related && problem.graph.num_ops() > kMostRelatedOps) {
    throw InputError(std::string(settings.name) + ": " + std::to_string(problem.graph.num_ops()) +
                     " ops; expected at most " + std::to_string(kMostRelatedOps) +
                     ", or parallel=constant");
  }
  doppler::Settings plain;
  plain.architecture.rich_features = false;
  plain.architecture.normalise = true;
  plain.architecture.node_columns = doppler::kPaperNodeColumns;
  plain.architecture.edge_columns = 1;
  LearnedView learned{doppler::make_view(problem, plain), {}};
  NetGraph& net = learned.net;
  const Graph& graph = learned.view.graph;
  net.num_ops = graph.num_ops();
  net.from_predecessors = rows_of(graph, /*predecessors=*/true);
  net.from_successors = rows_of(graph, /*predecessors=*/false);
  fill_devices(learned.view, net);
  fill_order(graph, net);
  fill_features(graph, learned.view.means, settings, net);
  if (settings.needs_related) {
    fill_related(graph, net);
  }
  return learned;
}

}  // namespace berth::learned
