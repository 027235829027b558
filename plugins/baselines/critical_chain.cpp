// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "critical_chain.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

namespace berth::baselines {
namespace {

/// A trace with its transfers by (producer, destination) and its ops by (device, finish).
class Causes {
 public:
  Causes(const Trace& trace, const Graph& graph) : trace_(&trace), graph_(&graph) {
    for (const TransferInterval& transfer : trace.transfers) {
      transfers_.push_back({transfer.producer, transfer.to, transfer.finish});
    }
    std::ranges::sort(transfers_, {}, &Arrival::key);
    for (const OpInterval& op : trace.ops) {
      by_device_.push_back(&op);
    }
    std::ranges::sort(by_device_, {}, &Causes::key);
  }

  [[nodiscard]] std::optional<OpId> of(OpId op) const {
    const OpInterval& interval = trace_->ops[index(op)];
    if (interval.start > interval.ready) {
      if (const auto leaving = leaves_at(interval)) {
        return leaving;
      }
    }
    std::optional<OpId> last;
    double latest = 0.0;
    for (const OpId before : graph_->predecessors(op)) {
      const double arrival = arrival_of(before, interval.device);
      if (!last || arrival > latest) {
        last = before;
        latest = arrival;
      }
    }
    return last;
  }

 private:
  struct Arrival {
    OpId producer;
    DeviceId to;
    double finish;
    [[nodiscard]] std::tuple<OpId, DeviceId, double> key() const { return {producer, to, finish}; }
  };
  static std::tuple<DeviceId, double> key(const OpInterval* op) { return {op->device, op->finish}; }

  /// The op that takes time and whose end frees the device when `waiting` starts.
  [[nodiscard]] std::optional<OpId> leaves_at(const OpInterval& waiting) const {
    const std::tuple<DeviceId, double> then{waiting.device, waiting.start};
    for (auto at = std::ranges::lower_bound(by_device_, then, {}, &Causes::key);
         at != by_device_.end() && key(*at) == then;
         ++at) {
      if ((*at)->start < (*at)->finish) {
        return (*at)->op;
      }
    }
    return std::nullopt;
  }

  /// When the result of `producer` is on `device`.
  [[nodiscard]] double arrival_of(OpId producer, DeviceId device) const {
    const OpInterval& made = trace_->ops[index(producer)];
    if (made.device == device) {
      return made.finish;
    }
    const auto after = std::ranges::upper_bound(
        transfers_,
        std::tuple(producer, device, std::numeric_limits<double>::infinity()),
        {},
        &Arrival::key);
    const bool found = after != transfers_.begin() && std::prev(after)->producer == producer &&
                       std::prev(after)->to == device;
    return found ? std::prev(after)->finish : made.finish;
  }

  const Trace* trace_;
  const Graph* graph_;
  std::vector<Arrival> transfers_;
  std::vector<const OpInterval*> by_device_;
};

}  // namespace

std::vector<OpId> critical_chain(const Trace& trace, const Graph& graph) {
  std::vector<OpId> chain;
  if (trace.ops.empty()) {
    return chain;
  }
  const Causes causes(trace, graph);
  std::optional<OpId> op = std::ranges::max_element(trace.ops, {}, &OpInterval::finish)->op;
  while (op && chain.size() < trace.ops.size()) {
    chain.push_back(*op);
    op = causes.of(*op);
  }
  return chain;
}

}  // namespace berth::baselines
