// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/cost_table.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

constexpr double kCannotRun = std::numeric_limits<double>::infinity();

/// Groups devices that price alike; every device is its own class where the graph tells them apart.
std::vector<DeviceId> classify(const Graph& graph, const Topology& topology, CostTable& table) {
  std::vector<DeviceId> representative;
  const bool told_apart = graph.table_devices() > 0 || graph.has_eligibility();
  for (std::size_t d = 0; d < topology.num_devices(); ++d) {
    const DeviceSpec& device = topology.device(to_id<DeviceId>(d));
    const auto key = [](const DeviceSpec& spec) {
      return std::tie(spec.peak, spec.memory_bandwidth, spec.launch_overhead, spec.op_rates);
    };
    const auto same = [&](DeviceId other) { return key(topology.device(other)) == key(device); };
    auto found = told_apart ? representative.end()
                            : std::find_if(representative.begin(), representative.end(), same);
    table.device_class.push_back(static_cast<std::uint32_t>(found - representative.begin()));
    if (found == representative.end()) {
      representative.push_back(to_id<DeviceId>(d));
    }
  }
  return representative;
}

/// What a device reaches on ops: measured for their shape, for their name, or on the whole.
class DeviceRates {
 public:
  explicit DeviceRates(const DeviceSpec& device)
      : whole_{{}, device.peak, device.memory_bandwidth, device.launch_overhead} {
    for (const OpRate& rate : device.op_rates) {
      measured_.emplace(rate.name, &rate);
      has_shapes_ = has_shapes_ || rate.name.find(' ') != std::string::npos;
    }
  }

  [[nodiscard]] const OpRate& whole() const { return whole_; }
  [[nodiscard]] const OpRate& of(const Graph& graph, OpId op) const {
    if (has_shapes_ && !graph.kernel(op).empty()) {
      if (const auto found = measured_.find(graph.rate_shape(op)); found != measured_.end()) {
        return *found->second;
      }
    }
    const auto found = measured_.find(graph.rate_name(op));
    return found != measured_.end() ? *found->second : whole_;
  }

 private:
  OpRate whole_;
  std::unordered_map<std::string_view, const OpRate*> measured_;
  bool has_shapes_ = false;
};

double op_time(
    const Graph& graph, std::size_t op, std::size_t d, const DeviceRates& rates, double fastest) {
  const auto eligible = graph.eligible(to_id<OpId>(op));
  if (!eligible.empty() &&
      std::find(eligible.begin(), eligible.end(), to_id<DeviceId>(d)) == eligible.end()) {
    return kCannotRun;
  }
  if (graph.table_devices() > 0) {
    return graph.device_time()[op * graph.table_devices() + d];
  }
  if (graph.cost_basis() == CostBasis::kTime) {
    return graph.work()[op] * (fastest / rates.whole().peak.value);
  }
  const OpRate& rate = rates.of(graph, to_id<OpId>(op));
  const double compute = graph.work()[op] / rate.peak.value;
  const double memory = rate.memory_bandwidth.value > 0.0
                            ? graph.touched_bytes()[op] / rate.memory_bandwidth.value
                            : 0.0;
  return std::max(compute, memory) + rate.launch_overhead.value;
}

/// Why no device of the topology can run the op: "can run on devices 4, 7 alone; topology 'pair'
/// has devices 0 to 1", of many devices the first ones.
std::string why_nowhere(const Graph& graph, OpId op, const Topology& topology) {
  constexpr std::size_t kMost = 8;
  const auto eligible = graph.eligible(op);
  const std::string present = "; topology '" + topology.name() + "' has devices 0 to " +
                              std::to_string(topology.num_devices() - 1);
  if (eligible.empty()) {
    return "can run on no device" + present;
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, eligible.size()); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(index(eligible[i]));
  }
  text = (eligible.size() == 1 ? "device " : "devices ") + text +
         (eligible.size() > kMost ? ", ..." : "");
  const bool is_there = std::ranges::any_of(
      eligible, [&](DeviceId device) { return index(device) < topology.num_devices(); });
  return is_there ? "is eligible on " + text + " alone, and has no time there"
                  : "can run on " + text + " alone" + present;
}

void price_ops(const Graph& graph,
               const Topology& topology,
               const std::vector<DeviceId>& representative,
               CostTable& table) {
  double fastest = 0.0;
  for (std::size_t d = 0; d < topology.num_devices(); ++d) {
    fastest = std::max(fastest, topology.device(to_id<DeviceId>(d)).peak.value);
  }
  std::vector<DeviceRates> rates;
  for (const DeviceId device : representative) {
    rates.emplace_back(topology.device(device));
  }
  table.num_classes = representative.size();
  table.class_compute.resize(graph.num_ops() * table.num_classes);
  for (std::size_t op = 0; op < graph.num_ops(); ++op) {
    bool runs = false;
    for (std::size_t c = 0; c < table.num_classes; ++c) {
      const DeviceId d = representative[c];
      const double time = op_time(graph, op, index(d), rates[c], fastest);
      table.class_compute[op * table.num_classes + c] = time;
      runs = runs || time < kCannotRun;
    }
    if (!runs) {
      throw SolverError("graph '" + graph.name() + "': " + graph.op_name(to_id<OpId>(op)) +
                        " (op " + std::to_string(op) + ") " +
                        why_nowhere(graph, to_id<OpId>(op), topology));
    }
  }
}

void price_links(const Graph& graph, const Topology& topology, CostTable& table) {
  const std::size_t devices = topology.num_devices();
  double fastest = 0.0;
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a != b) {
        fastest =
            std::max(fastest, topology.bandwidth(to_id<DeviceId>(a), to_id<DeviceId>(b)).value);
      }
    }
  }
  table.latency.assign(devices * devices, 0.0);
  table.inverse_speed.assign(devices * devices, 0.0);
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a == b) {
        continue;
      }
      const auto from = to_id<DeviceId>(a);
      const auto to = to_id<DeviceId>(b);
      const double bandwidth = topology.bandwidth(from, to).value;
      table.latency[a * devices + b] = topology.latency(from, to).value / table.seconds_per_unit;
      table.inverse_speed[a * devices + b] =
          graph.cost_basis() == CostBasis::kTime ? fastest / bandwidth : 1.0 / bandwidth;
    }
  }
}

}  // namespace

CostTable price(const Graph& graph, const Topology& topology) {
  const std::size_t devices = topology.num_devices();
  BERTH_CHECK(devices > 0, "a topology with at least one device");
  if (graph.table_devices() > 0 && graph.table_devices() != devices) {
    throw InputError("graph '" + graph.name() + "' gives times for " +
                     std::to_string(graph.table_devices()) + " devices; topology '" +
                     topology.name() + "' has " + std::to_string(devices));
  }
  CostTable table;
  table.num_devices = devices;
  table.seconds_per_unit = graph.seconds_per_unit();
  price_ops(graph, topology, classify(graph, topology, table), table);
  price_links(graph, topology, table);
  for (std::size_t d = 0; d < devices; ++d) {
    const double memory = topology.device(to_id<DeviceId>(d)).memory.value;
    table.device_memory.push_back(memory > 0.0 ? memory : kCannotRun);
  }
  return table;
}

std::vector<double> CostTable::mean_compute(std::size_t num_ops) const {
  std::vector<double> mean(num_ops);
  for (std::size_t op = 0; op < num_ops; ++op) {
    double sum = 0.0;
    double count = 0.0;
    for (const std::uint32_t c : device_class) {
      const double time = class_compute[op * num_classes + c];
      if (time < kCannotRun) {
        sum += time;
        count += 1.0;
      }
    }
    mean[op] = sum / count;
  }
  return mean;
}

std::vector<double> CostTable::least_compute(std::size_t num_ops) const {
  std::vector<double> least(num_ops);
  for (std::size_t op = 0; op < num_ops; ++op) {
    const auto row = class_compute.begin() + static_cast<std::ptrdiff_t>(op * num_classes);
    least[op] = *std::min_element(row, row + static_cast<std::ptrdiff_t>(num_classes));
  }
  return least;
}

std::vector<double> CostTable::mean_transfer(const Graph& graph) const {
  std::vector<double> mean(graph.num_edges(), 0.0);
  if (num_devices < 2) {
    return mean;
  }
  const auto pairs = static_cast<double>(num_devices * (num_devices - 1));
  const double mean_latency = std::accumulate(latency.begin(), latency.end(), 0.0) / pairs;
  const double mean_inverse =
      std::accumulate(inverse_speed.begin(), inverse_speed.end(), 0.0) / pairs;
  for (std::size_t e = 0; e < mean.size(); ++e) {
    mean[e] = mean_latency + graph.edge_size()[e] * mean_inverse;
  }
  return mean;
}

}  // namespace abi_v1
}  // namespace berth
