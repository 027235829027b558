// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "heads_and_tails.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "released_jobs.hpp"

namespace berth::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One input of an op: released at `release`, needs `time` on a device, then `transfer` if it is
/// on another device than the op.
struct Input {
  double release;
  double time;
  double transfer;

  [[nodiscard]] double arrival() const noexcept { return release + time + transfer; }
};

/// Least time at which all inputs can be there.
/// @param floor no result below this: inputs that certainly cross, and all without transfer.
double least_start(std::vector<Input>& inputs, double floor, double streams) {
  constexpr std::size_t kMost = 16;  // the first few arrivals decide; beyond, stay valid and stop
  const std::size_t depth = std::min(kMost, inputs.size());
  std::partial_sort(inputs.begin(),
                    inputs.begin() + static_cast<std::ptrdiff_t>(depth),
                    inputs.end(),
                    [](const Input& a, const Input& b) { return a.arrival() > b.arrival(); });
  std::array<const Input*, kMost> shared{};  // by release
  double best = kInfinity;
  double together = 0.0;
  for (std::size_t k = 0; k < depth; ++k) {
    // Input k crosses, those before it share the device.
    best = std::min(best, std::max({floor, together, inputs[k].arrival()}));
    if (together >= inputs[k].arrival()) {
      return best;
    }
    std::size_t place = k;
    for (; place > 0 && inputs[k].release < shared[place - 1]->release; --place) {
      shared[place] = shared[place - 1];
    }
    shared[place] = &inputs[k];
    together = 0.0;
    for (std::size_t i = 0; i <= k; ++i) {
      together = std::max(together, shared[i]->release) + shared[i]->time / streams;
    }
  }
  // All share the device, or at least the first kMost do.
  return std::min(best, std::max(floor, together));
}

/// The least transfer between two different devices, and who can share one.
class Separation {
 public:
  Separation(const Graph& graph, const CostTable& costs)
      : graph_(graph), costs_(costs), latency_(kInfinity), inverse_speed_(kInfinity) {
    for (std::size_t pair = 0; pair < costs.latency.size(); ++pair) {
      if (pair / costs.num_devices != pair % costs.num_devices) {
        latency_ = std::min(latency_, costs.latency[pair]);
        inverse_speed_ = std::min(inverse_speed_, costs.inverse_speed[pair]);
      }
    }
    restricted_ = std::find(costs.class_compute.begin(), costs.class_compute.end(), kInfinity) !=
                  costs.class_compute.end();
  }

  /// Time of an edge that crosses devices; without a second device it never does.
  [[nodiscard]] double transfer(std::uint64_t edge) const noexcept {
    return costs_.num_devices == 1 ? kInfinity
                                   : latency_ + graph_.edge_size()[edge] * inverse_speed_;
  }

  [[nodiscard]] bool can_share(OpId a, OpId b) const noexcept {
    if (!restricted_) {
      return true;
    }
    for (std::size_t c = 0; c < costs_.num_classes; ++c) {
      if (costs_.class_compute[index(a) * costs_.num_classes + c] < kInfinity &&
          costs_.class_compute[index(b) * costs_.num_classes + c] < kInfinity) {
        return true;
      }
    }
    return false;
  }

 private:
  const Graph& graph_;
  const CostTable& costs_;
  double latency_;
  double inverse_speed_;
  bool restricted_ = false;
};

/// Collects the inputs of one op after another.
class Inputs {
 public:
  Inputs(double streams, std::size_t lanes, bool whole)
      : streams_(streams), lanes_(lanes), whole_(whole) {}

  void add(const Input& input, bool can_share) {
    jobs_.push_back({input.release, input.time});
    floor_ = std::max(floor_, can_share ? input.release + input.time : input.arrival());
    if (can_share) {
      inputs_.push_back(input);
    }
  }
  /// The bound for the inputs added since the last call.
  double take() {
    double start =
        inputs_.empty() ? floor_ : std::max(floor_, least_start(inputs_, floor_, streams_));
    if (jobs_.size() > lanes_) {
      start = std::max(start, all_over(jobs_, lanes_, whole_));
    }
    inputs_.clear();
    jobs_.clear();
    floor_ = 0.0;
    return start;
  }

 private:
  double streams_;
  std::size_t lanes_;
  bool whole_;
  double floor_ = 0.0;
  std::vector<Input> inputs_;      ///< Those that can share the op's device.
  std::vector<ReleasedJob> jobs_;  ///< All.
};

}  // namespace

HeadsAndTails heads_and_tails(const Graph& graph,
                              const CostTable& costs,
                              const std::vector<double>& least,
                              double streams,
                              bool whole) {
  const std::size_t lanes = costs.num_devices * static_cast<std::size_t>(streams);
  const Separation separation(graph, costs);
  const auto order = graph.topological_order();
  HeadsAndTails result{std::vector<double>(graph.num_ops()), std::vector<double>(graph.num_ops())};
  Inputs inputs(streams, lanes, whole);
  std::vector<ReleasedJob> last;
  std::vector<ReleasedJob> first;
  for (const OpId op : order) {
    const std::size_t v = index(op);
    for (std::uint64_t i = graph.in_offsets()[v]; i < graph.in_offsets()[v + 1]; ++i) {
      const OpId from = graph.in_sources()[i];
      inputs.add({result.head[index(from)],
                  least[index(from)],
                  separation.transfer(index(graph.in_edges()[i]))},
                 separation.can_share(from, op));
    }
    result.head[v] = inputs.take();
    if (graph.successors(op).empty()) {
      last.push_back({result.head[v], least[v]});
    }
  }
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    const std::size_t v = index(*op);
    for (std::uint64_t e = graph.out_offsets()[v]; e < graph.out_offsets()[v + 1]; ++e) {
      const OpId to = graph.out_targets()[e];
      inputs.add({result.tail[index(to)], least[index(to)], separation.transfer(e)},
                 separation.can_share(to, *op));
    }
    result.tail[v] = inputs.take();
    if (graph.predecessors(*op).empty()) {
      first.push_back({result.tail[v], least[v]});
    }
  }
  result.all = std::max(all_over(last, lanes, whole), all_over(first, lanes, whole));
  return result;
}

}  // namespace berth::internal
