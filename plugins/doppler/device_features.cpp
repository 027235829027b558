// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "device_features.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "column_scaling.hpp"

namespace berth::doppler {
namespace {

double squash(double x) {
  return x / (1.0 + x);
}

double share(double part, double whole) {
  return whole > 0.0 ? part / whole : 0.0;
}

}  // namespace

DeviceFeatures::DeviceFeatures(const ProblemView& view, bool rich)
    : view_(&view), rich_(rich), all_devices_(view.num_devices()) {
  const std::size_t devices = view.num_devices();
  std::iota(all_devices_.begin(), all_devices_.end(), 0U);
  if (rich) {
    input_on_.resize(view.num_ops() * devices);
    consumer_on_.resize(view.num_ops() * devices);
    run_on_.resize(view.runs.size.size() * devices);
  } else {
    raw_.resize(devices * kPaperDeviceColumns);
  }
}

void DeviceFeatures::reset() {
  std::fill(input_on_.begin(), input_on_.end(), 0.0);
  std::fill(consumer_on_.begin(), consumer_on_.end(), 0.0F);
  std::fill(run_on_.begin(), run_on_.end(), 0.0F);
}

void DeviceFeatures::fill(const DeviceTimeline& timeline, std::span<float> out) {
  if (rich_) {
    fill_rich(timeline, out);
  } else {
    fill_paper(timeline, out);
  }
}

void DeviceFeatures::assigned(const DeviceTimeline& timeline, std::uint32_t device) {
  if (!rich_) {
    return;
  }
  const std::size_t v = timeline.op();
  const std::size_t devices = view_->num_devices();
  const Graph& graph = view_->graph;
  for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
    input_on_[index(graph.out_targets()[e]) * devices + device] += view_->means.transfer[e];
  }
  for (const OpId before : graph.predecessors(to_id<OpId>(v))) {
    consumer_on_[index(before) * devices + device] += 1.0F;
  }
  run_on_[view_->runs.run_of[v] * devices + device] += 1.0F;
}

void DeviceFeatures::fill_paper(const DeviceTimeline& timeline, std::span<float> out) {
  const std::uint32_t v = timeline.op();
  for (std::size_t d = 0; d < view_->num_devices(); ++d) {
    double* row = raw_.data() + d * kPaperDeviceColumns;
    row[0] = timeline.load(d);
    row[1] = row[2] = row[3] = 0.0;
    row[4] = timeline.earliest_start()[d];
    double least_start = std::numeric_limits<double>::infinity();
    for (const OpId before : view_->graph.predecessors(to_id<OpId>(v))) {
      const auto u = static_cast<std::uint32_t>(index(before));
      if (timeline.device_of(u) == d) {
        row[1] += view_->means.compute[u];
        least_start = std::min(least_start, timeline.start_of(u));
        row[3] = std::max(row[3], timeline.end_of(u));
      }
    }
    row[2] = least_start < std::numeric_limits<double>::infinity() ? least_start : 0.0;
  }
  normalise_rows(raw_, kPaperDeviceColumns, all_devices_, out);
}

double DeviceFeatures::relatives_on(std::uint32_t v, std::size_t d, double& co_consumers) const {
  const std::size_t devices = view_->num_devices();
  double siblings = 0.0;
  for (const OpId next : view_->graph.successors(to_id<OpId>(v))) {
    siblings += input_on_[index(next) * devices + d];
  }
  double together = 0.0;
  double all = 0.0;
  for (const OpId before : view_->graph.predecessors(to_id<OpId>(v))) {
    together += static_cast<double>(consumer_on_[index(before) * devices + d]);
    all += static_cast<double>(view_->graph.successors(before).size());
  }
  co_consumers = share(together, all);
  return share(siblings, view_->sibling_transfer[v]);
}

void DeviceFeatures::fill_rich(const DeviceTimeline& timeline, std::span<float> out) {
  const std::uint32_t v = timeline.op();
  const std::size_t devices = view_->num_devices();
  const auto est = timeline.earliest_start();
  const auto eft = timeline.earliest_finish();
  const double first = *std::min_element(eft.begin(), eft.end());
  double best = std::numeric_limits<double>::infinity();  // the op's times where it can run
  double worst = 0.0;
  for (std::size_t d = 0; d < devices; ++d) {
    const double compute = view_->costs.compute(to_id<OpId>(v), to_id<DeviceId>(d));
    best = std::min(best, compute);
    worst = compute < std::numeric_limits<double>::infinity() ? std::max(worst, compute) : worst;
  }
  double mean_load = 0.0;
  double first_free = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < devices; ++d) {
    mean_load += timeline.load(d) / static_cast<double>(devices);
    first_free = std::min(first_free, timeline.available(d));
  }
  const double per_scale = 1.0 / view_->scale;
  const double own = view_->means.compute[v] + view_->means.output[v];
  const double per_own = own > 0.0 ? 1.0 / own : per_scale;
  const std::uint32_t run = view_->runs.run_of[v];
  const double progress =
      static_cast<double>(timeline.assigned()) / static_cast<double>(view_->num_ops());
  for (std::size_t d = 0; d < devices; ++d) {
    // Where it cannot run the row is masked; its numbers are finite all the same.
    const double compute =
        std::min(worst, view_->costs.compute(to_id<OpId>(v), to_id<DeviceId>(d)));
    const double late = est[d] + compute - first;
    const double memory = view_->costs.device_memory[d];
    const double local = input_on_[v * devices + d];
    double co_consumers = 0.0;
    const double siblings = relatives_on(v, d, co_consumers);
    const double row[kRichDeviceColumns] = {
        late * per_scale,
        squash(std::max(late, 0.0) * per_own),
        late <= 0.0 ? 1.0 : 0.0,
        (timeline.load(d) - mean_load) * per_scale,
        (timeline.available(d) - first_free) * per_scale,
        squash((est[d] - timeline.available(d)) * per_own),
        share(local, view_->in_transfer[v]),
        (view_->in_transfer[v] - local) * per_scale,
        siblings,
        co_consumers,
        share(static_cast<double>(run_on_[run * devices + d]), view_->runs.size[run]),
        timeline.count(d) == 0 ? 1.0 : 0.0,
        (est[d] + compute - view_->means.compute[v] + view_->compute_level[v]) * per_scale - 1.0,
        best > 0.0 ? squash(compute / best - 1.0) : 0.0,
        memory < std::numeric_limits<double>::infinity()
            ? share(timeline.resident(d) + view_->graph.memory_bytes()[v], memory)
            : 0.0,
        progress,
    };
    std::copy_n(row, kRichDeviceColumns, out.data() + d * kRichDeviceColumns);
  }
}

}  // namespace berth::doppler
