// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "berth/error.hpp"
#include "berth/rng.hpp"
#include "berth/simulator.hpp"

#include "../executor_arguments.hpp"

namespace berth::launcher {
namespace {

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

Placement random_placement(const PlacementProblem& problem, std::uint64_t seed, std::uint64_t row) {
  constexpr std::uint64_t kPurpose = 0x63616c6962;  // "calib"
  Rng rng(seed, {kPurpose, row});
  Placement placement;
  for (std::size_t v = 0; v < problem.graph.num_ops(); ++v) {
    std::vector<DeviceId> able;
    for (std::size_t d = 0; d < problem.topology.num_devices(); ++d) {
      if (problem.costs.can_run(to_id<OpId>(v), to_id<DeviceId>(d))) {
        able.push_back(to_id<DeviceId>(d));
      }
    }
    placement.device.push_back(able[rng.below(able.size())]);
  }
  return placement;
}

/// Collects what traces say of ops and transfers.
class Samples {
 public:
  explicit Samples(const PlacementProblem& problem)
      : problem_(problem),
        devices_(problem.topology.num_devices()),
        of_op_(problem.graph.num_ops() * devices_) {}

  void add(const Trace& trace) {
    for (const OpInterval& op : trace.ops) {
      of_op_[index(op.op) * devices_ + index(op.device)].push_back((op.finish - op.start) *
                                                                   trace.seconds_per_unit);
    }
    for (const TransferInterval& transfer : trace.transfers) {
      const double seconds = (transfer.finish - transfer.start) * trace.seconds_per_unit;
      if (seconds > 0.0) {
        bytes_.push_back(edge_bytes(transfer));
        transfer_seconds_.push_back(seconds);
      }
    }
  }

  /// All on one device: what lies between its ops is the dispatcher's.
  void add_gap(const Trace& trace) {
    double busy = 0.0;
    for (const OpInterval& op : trace.ops) {
      busy += op.finish - op.start;
    }
    gaps_.push_back(std::max(0.0, trace.makespan - busy) * trace.seconds_per_unit /
                    static_cast<double>(trace.ops.size()));
  }

  void finish(Calibration& found) const {
    found.dispatch_seconds = gaps_.empty() ? 0.0 : median_of(gaps_);
    found.op_seconds.assign(of_op_.size(), 0.0);
    for (std::size_t v = 0; v < problem_.graph.num_ops(); ++v) {
      std::vector<double> all;
      for (std::size_t d = 0; d < devices_; ++d) {
        const auto& own = of_op_[v * devices_ + d];
        all.insert(all.end(), own.begin(), own.end());
      }
      for (std::size_t d = 0; d < devices_ && !all.empty(); ++d) {
        const auto& own = of_op_[v * devices_ + d];
        found.op_seconds[v * devices_ + d] =
            median_of(own.empty() ? all : own) + found.dispatch_seconds;
      }
    }
    fit_rates(found);
    if (!bytes_.empty()) {
      found.link = fit_line(bytes_, transfer_seconds_);
      found.transfers = bytes_.size();
    }
  }

 private:
  [[nodiscard]] double edge_bytes(const TransferInterval& transfer) const {
    const Graph& graph = problem_.graph;
    double bytes = 0.0;
    const std::size_t v = index(transfer.producer);
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      bytes = std::max(bytes, graph.edge_size()[e]);
    }
    return bytes;
  }

  void fit_rates(Calibration& found) const {
    const Graph& graph = problem_.graph;
    std::map<std::string, std::vector<OpSample>, std::less<>> by_name;
    for (std::size_t v = 0; v < graph.num_ops(); ++v) {
      for (std::size_t d = 0; d < devices_; ++d) {
        const double seconds = found.op_seconds[v * devices_ + d];
        if (!of_op_[v * devices_ + d].empty() && seconds > 0.0) {
          by_name[std::string(graph.rate_name(to_id<OpId>(v)))].push_back(
              {graph.work()[v], graph.touched_bytes()[v], seconds});
        }
      }
    }
    for (const auto& [name, samples] : by_name) {
      found.rates.push_back(fit_rate(name, samples));
    }
  }

  const PlacementProblem& problem_;
  std::size_t devices_;
  std::vector<std::vector<double>> of_op_;  ///< [ops * devices] seconds
  std::vector<double> bytes_;
  std::vector<double> transfer_seconds_;
  std::vector<double> gaps_;
};

}  // namespace

Calibration calibrate(const PlacementProblem& problem,
                      DeviceExecutor& executor,
                      const CalibrationSpec& spec) {
  Calibration found;
  Samples samples(problem);
  MeasureSpec once = spec.measure;
  once.repeats = 1;
  std::string reason;
  const auto run = [&](const Placement& placement, const MeasureSpec& measure) {
    const Measurement measured = executor.measure(placement, measure);
    if (measured.status != RolloutStatus::kOk) {
      ++found.failed;
      reason = measured.reason;
    }
    return measured;
  };
  for (std::size_t d = 0; d < problem.topology.num_devices(); ++d) {
    Placement placement;
    placement.device.assign(problem.graph.num_ops(), to_id<DeviceId>(d));
    for (std::uint32_t i = 0; i < spec.measure.repeats; ++i) {
      if (run(placement, once).status == RolloutStatus::kOk) {
        const Trace trace = executor.last_trace();
        samples.add(trace);
        samples.add_gap(trace);
      }
    }
  }
  for (std::size_t row = 0; row < spec.fitted; ++row) {
    if (run(random_placement(problem, spec.seed, row), once).status == RolloutStatus::kOk) {
      samples.add(executor.last_trace());
    }
  }
  samples.finish(found);
  if (found.rates.empty()) {
    throw RunError("calibrate: no placement of '" + problem.name + "' ran: " + reason);
  }
  // Two passes, so that what the host did meanwhile is not taken for a property of a placement, and
  // so that it is known how well measurements agree with themselves.
  const std::uint32_t late = spec.measure.repeats / 2;
  MeasureSpec half = spec.measure;
  std::vector<Measurement> first;
  half.repeats = spec.measure.repeats - late;
  for (std::size_t row = 0; row < spec.compared; ++row) {
    first.push_back(run(random_placement(problem, spec.seed, spec.fitted + row), half));
  }
  half.repeats = late;
  for (std::size_t row = 0; row < spec.compared; ++row) {
    if (first[row].status != RolloutStatus::kOk) {
      continue;
    }
    Placement placement = random_placement(problem, spec.seed, spec.fitted + row);
    std::vector<double> seconds = first[row].seconds;
    if (late > 0) {
      const Measurement again = run(placement, half);
      if (again.status != RolloutStatus::kOk) {
        continue;
      }
      seconds.insert(seconds.end(), again.seconds.begin(), again.seconds.end());
      found.first_seconds.push_back(first[row].median_seconds);
      found.again_seconds.push_back(again.median_seconds);
    }
    found.placements.push_back(std::move(placement));
    found.measured_seconds.push_back(median_of(std::move(seconds)));
  }
  if (found.placements.size() < 2) {
    throw RunError("calibrate: " + std::to_string(found.placements.size()) + " of " +
                   std::to_string(spec.compared) + " placements of '" + problem.name +
                   "' ran; expected two at least to compare: " + reason);
  }
  return found;
}

Topology calibrated_topology(const Topology& topology, const Calibration& found, bool fit_links) {
  TopologyBuilder builder(topology.name() + ", calibrated");
  const std::size_t devices = topology.num_devices();
  for (std::size_t d = 0; d < devices; ++d) {
    DeviceSpec device = topology.device(to_id<DeviceId>(d));
    device.op_rates = found.rates;
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

Graph calibrated_graph(const Graph& graph, const Calibration& found, std::size_t devices) {
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
      spec.device_time.push_back(found.op_seconds[v * devices + d] / graph.seconds_per_unit());
    }
    const auto eligible = graph.eligible(op);
    spec.eligible.assign(eligible.begin(), eligible.end());
    builder.add_op(std::move(spec));
  }
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      builder.add_edge(to_id<OpId>(v), graph.out_targets()[e], graph.edge_size()[e]);
    }
  }
  return builder.freeze();
}

Agreement agreement(std::span<const double> predicted, std::span<const double> measured) {
  Agreement result;
  const auto count = static_cast<double>(predicted.size());
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const double ratio = predicted[i] / measured[i];
    result.mean_error += std::abs(ratio - 1.0) / count;
    result.mean_ratio += ratio / count;
  }
  const auto alike = [](std::span<const double> values) {
    const auto [least, most] = std::ranges::minmax(values);
    return least == most;
  };
  result.rank = alike(predicted) || alike(measured) ? std::numeric_limits<double>::quiet_NaN()
                                                    : rank_correlation(predicted, measured);
  return result;
}

Agreement agreement(const PlacementProblem& problem, const Calibration& found) {
  Simulator simulator(problem);
  std::vector<double> simulated;
  for (const Placement& placement : found.placements) {
    simulated.push_back(simulator.makespan(placement.device) * problem.costs.seconds_per_unit);
  }
  return agreement(simulated, found.measured_seconds);
}

}  // namespace berth::launcher
