// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "device_timeline.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "berth/error.hpp"
#include "berth/units.hpp"

namespace berth::doppler {

DeviceTimeline::DeviceTimeline(const ProblemView& view, TimelineRule rule, TimelineType type)
    : view_(&view),
      rule_(rule),
      type_(type),
      device_(view.num_ops()),
      start_(view.num_ops()),
      end_(view.num_ops()),
      load_(view.num_devices()),
      available_(view.num_devices()),
      resident_(view.num_devices()),
      est_(view.num_devices()),
      eft_(view.num_devices()),
      count_(view.num_devices()),
      legal_(view.num_devices()) {
  reset();
}

void DeviceTimeline::reset() {
  assigned_ = 0;
  for (std::vector<double>* values : {&load_, &available_, &resident_}) {
    std::fill(values->begin(), values->end(), 0.0);
  }
  std::fill(count_.begin(), count_.end(), 0U);
}

void DeviceTimeline::look_at(std::uint32_t v) {
  op_ = v;
  const Graph& graph = view_->graph;
  std::copy(available_.begin(), available_.end(), est_.begin());
  for (std::uint64_t k = graph.in_offsets()[v]; k < graph.in_offsets()[v + 1]; ++k) {
    const std::size_t u = index(graph.in_sources()[k]);
    const double size = graph.edge_size()[index(graph.in_edges()[k])];
    const auto from = to_id<DeviceId>(device_[u]);
    for (std::size_t d = 0; d < est_.size(); ++d) {
      const double transfer = view_->costs.transfer(size, from, to_id<DeviceId>(d));
      est_[d] = std::max(est_[d], rounded(end_[u] + transfer));
    }
  }
  for (std::size_t d = 0; d < eft_.size(); ++d) {
    eft_[d] = est_[d] + view_->costs.compute(to_id<OpId>(v), to_id<DeviceId>(d));
  }
  fill_legal();
}

double DeviceTimeline::least_arrival(std::uint32_t v) const {
  const Graph& graph = view_->graph;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < view_->num_devices(); ++d) {
    if (!view_->costs.can_run(to_id<OpId>(v), to_id<DeviceId>(d))) {
      continue;
    }
    double arrival = 0.0;
    for (std::uint64_t k = graph.in_offsets()[v]; k < graph.in_offsets()[v + 1]; ++k) {
      const std::size_t u = index(graph.in_sources()[k]);
      const double size = graph.edge_size()[index(graph.in_edges()[k])];
      const double transfer =
          view_->costs.transfer(size, to_id<DeviceId>(device_[u]), to_id<DeviceId>(d));
      arrival = std::max(arrival, rounded(end_[u] + transfer));
    }
    least = std::min(least, arrival);
  }
  return least;
}

void DeviceTimeline::expect_room() const {
  if (std::ranges::count(legal_, 0) < static_cast<std::ptrdiff_t>(legal_.size())) {
    return;
  }
  double most = 0.0;
  for (std::size_t d = 0; d < legal_.size(); ++d) {
    if (view_->costs.can_run(to_id<OpId>(op_), to_id<DeviceId>(d))) {
      most = std::max(most, view_->costs.device_memory[d] - resident_[d]);
    }
  }
  throw SolverError("op '" + view_->graph.op_name(to_id<OpId>(op_)) + "' needs " +
                    format(Bytes{view_->graph.memory_bytes()[op_]}) +
                    "; the devices that can run it have at most " + format(Bytes{most}) + " left");
}

void DeviceTimeline::fill_legal() {
  const double memory = view_->graph.memory_bytes()[op_];
  for (std::size_t d = 0; d < legal_.size(); ++d) {
    const bool runs = eft_[d] < std::numeric_limits<double>::infinity();
    const bool fits = resident_[d] + memory <= view_->costs.device_memory[d];
    legal_[d] = runs && fits ? 1 : 0;
    if (!merge_empty_ || legal_[d] == 0 || count_[d] > 0) {
      continue;
    }
    for (std::size_t other = 0; other < d; ++other) {
      if (count_[other] == 0 && view_->exchangeable[other] == view_->exchangeable[d]) {
        legal_[d] = 0;
        break;
      }
    }
  }
}

void DeviceTimeline::assign(std::uint32_t device) {
  const std::size_t d = device;
  const double compute = view_->costs.compute(to_id<OpId>(op_), to_id<DeviceId>(device));
  device_[op_] = device;
  start_[op_] = rule_ == TimelineRule::kEarliestStart ? est_[d] : load_[d];
  end_[op_] = rounded(start_[op_] + compute);
  available_[d] = end_[op_];
  load_[d] = rounded(load_[d] + compute);
  resident_[d] += view_->graph.memory_bytes()[op_];
  ++count_[d];
  ++assigned_;
}

}  // namespace berth::doppler
