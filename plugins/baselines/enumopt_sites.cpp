// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "enumopt.hpp"
#include "meta_ops.hpp"
#include "partial_schedule.hpp"

namespace berth::baselines {
namespace {

/// An aggregation with its producers, or one op alone.
struct OutputBlock {
  std::vector<OpId> producers;
  std::optional<OpId> aggregation;
};

/// [ops] meta-op of each.
std::vector<std::size_t> numbers_of(const std::vector<MetaOp>& groups, std::size_t ops) {
  std::vector<std::size_t> number(ops);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const OpId op : groups[g]) {
      number[index(op)] = g;
    }
  }
  return number;
}

bool aggregates(const Graph& graph, OpId op, const std::vector<std::size_t>& group_of) {
  const auto producers = graph.predecessors(op);
  return graph.kind(op) == "formation" && !producers.empty() &&
         std::ranges::all_of(producers, [&](OpId before) {
           return group_of[index(before)] == group_of[index(producers.front())] &&
                  graph.successors(before).size() == 1;
         });
}

/// A way to place one output block, with the device costs that result.
struct Trial {
  std::vector<std::size_t> device;  ///< [producers + aggregation]
  std::vector<double> cost;         ///< [devices]
  double most = std::numeric_limits<double>::infinity();
  double sum = std::numeric_limits<double>::infinity();
};

class Sites {
 public:
  Sites(const PlacementProblem& problem, SiteScope scope, double transfer_weight)
      : problem_(&problem),
        scope_(scope),
        transfer_weight_(transfer_weight),
        devices_(problem.costs.num_devices),
        cost_(devices_, 0.0),
        room_(problem.costs.device_memory),
        device_(problem.graph.num_ops()) {}

  void start_meta_op() {
    brought_.clear();
    if (scope_ == SiteScope::kMetaOp) {
      std::fill(cost_.begin(), cost_.end(), 0.0);
    }
  }

  void place(const OutputBlock& block) {
    Trial best;
    const std::size_t widest = std::bit_floor(std::min(devices_, block.producers.size()));
    for (std::size_t width = widest; width > 0; width /= 2) {
      for (std::size_t first = 0; first + width <= devices_; first += width) {
        for (std::size_t at = first; at < first + (block.aggregation ? width : 1); ++at) {
          Trial trial = attempt(block, first, width, at);
          if (trial.most < best.most || (trial.most == best.most && trial.sum < best.sum)) {
            best = std::move(trial);
          }
        }
      }
    }
    if (!best.device.empty()) {
      take(block, best);
    } else if (block.producers.size() == 1 && !block.aggregation) {
      refuse_full("enumopt", problem_->graph, block.producers.front());
    } else {  // No range can hold the block: its ops one by one.
      for (const OpId op : block.producers) {
        place({{op}, std::nullopt});
      }
      if (block.aggregation) {
        place({{*block.aggregation}, std::nullopt});
      }
    }
  }

  [[nodiscard]] std::vector<DeviceId> result() { return std::move(device_); }

 private:
  using Brought = std::set<std::pair<std::size_t, std::size_t>>;  ///< (device, producing op)

  [[nodiscard]] double move_time(double size, std::size_t from, std::size_t to) const {
    return transfer_weight_ *
           problem_->costs.transfer(size, to_id<DeviceId>(from), to_id<DeviceId>(to));
  }

  /// @return a trial without devices if the block may not lie there.
  [[nodiscard]] Trial attempt(const OutputBlock& block,
                              std::size_t first,
                              std::size_t width,
                              std::size_t aggregation_site) const {
    Trial trial;
    trial.cost = cost_;
    std::vector<std::size_t> device;
    Brought fresh;
    for (std::size_t j = 0; j < block.producers.size(); ++j) {
      device.push_back(first + j % width);
      charge_producer(block.producers[j], device.back(), trial.cost, fresh);
    }
    if (block.aggregation) {
      const Graph& graph = problem_->graph;
      const OpId op = *block.aggregation;
      trial.cost[aggregation_site] +=
          problem_->costs.compute(op, to_id<DeviceId>(aggregation_site));
      for (std::size_t j = 0; j < block.producers.size(); ++j) {
        const std::uint64_t edge = graph.out_offsets()[index(block.producers[j])];
        const double time = move_time(graph.edge_size()[edge], device[j], aggregation_site);
        trial.cost[device[j]] += time;
        trial.cost[aggregation_site] += device[j] == aggregation_site ? 0.0 : time;
      }
      device.push_back(aggregation_site);
    }
    trial.most = *std::max_element(trial.cost.begin(), trial.cost.end());
    trial.sum = std::accumulate(trial.cost.begin(), trial.cost.end(), 0.0);
    if (trial.most < std::numeric_limits<double>::infinity() && fits(block, device)) {
      trial.device = std::move(device);
    } else {
      trial.most = trial.sum = std::numeric_limits<double>::infinity();
    }
    return trial;
  }

  void charge_producer(OpId op, std::size_t site, std::vector<double>& cost, Brought& fresh) const {
    const Graph& graph = problem_->graph;
    cost[site] += problem_->costs.compute(op, to_id<DeviceId>(site));
    for (std::uint64_t k = graph.in_offsets()[index(op)]; k < graph.in_offsets()[index(op) + 1];
         ++k) {
      const std::size_t source = index(graph.in_sources()[k]);
      const std::size_t from = index(device_[source]);
      if (from == site || brought_.contains({site, source}) ||
          !fresh.insert({site, source}).second) {
        continue;
      }
      const double time = move_time(graph.edge_size()[index(graph.in_edges()[k])], from, site);
      cost[site] += time;
      if (scope_ == SiteScope::kGlobal) {
        cost[from] += time;
      }
    }
  }

  [[nodiscard]] bool fits(const OutputBlock& block, const std::vector<std::size_t>& device) const {
    std::vector<double> room = room_;
    for (std::size_t j = 0; j < device.size(); ++j) {
      const OpId op = j < block.producers.size() ? block.producers[j] : *block.aggregation;
      room[device[j]] -= problem_->graph.memory_bytes()[index(op)];
      if (room[device[j]] < 0.0) {
        return false;
      }
    }
    return true;
  }

  void take(const OutputBlock& block, const Trial& trial) {
    const Graph& graph = problem_->graph;
    cost_ = trial.cost;
    for (std::size_t j = 0; j < trial.device.size(); ++j) {
      const OpId op = j < block.producers.size() ? block.producers[j] : *block.aggregation;
      device_[index(op)] = to_id<DeviceId>(trial.device[j]);
      room_[trial.device[j]] -= graph.memory_bytes()[index(op)];
    }
    for (std::size_t j = 0; j < block.producers.size(); ++j) {
      for (const OpId before : graph.predecessors(block.producers[j])) {
        brought_.insert({trial.device[j], index(before)});
      }
    }
  }

  const PlacementProblem* problem_;
  SiteScope scope_;
  double transfer_weight_;
  std::size_t devices_;
  std::vector<double> cost_;  ///< [devices] time units
  std::vector<double> room_;  ///< [devices] bytes left
  Brought brought_;           ///< By this meta-op.
  std::vector<DeviceId> device_;
};

}  // namespace

std::vector<DeviceId> place_by_sites(const PlacementProblem& problem,
                                     SiteScope scope,
                                     double transfer_weight) {
  const Graph& graph = problem.graph;
  const std::vector<MetaOp> groups = meta_ops(graph);
  const std::vector<std::size_t> group_of = numbers_of(groups, graph.num_ops());
  const auto aggregation_of = [&](OpId op) -> std::optional<OpId> {
    const auto next = graph.successors(op);
    return next.size() == 1 && aggregates(graph, next.front(), group_of)
               ? std::optional(next.front())
               : std::nullopt;
  };
  Sites sites(problem, scope, transfer_weight);
  for (const MetaOp& group : groups) {
    sites.start_meta_op();
    for (const OpId op : group) {
      if (scope == SiteScope::kGlobal) {
        sites.place({{op}, std::nullopt});
        continue;
      }
      if (aggregates(graph, op, group_of)) {
        continue;  // Placed with its producers.
      }
      const std::optional<OpId> aggregation = aggregation_of(op);
      if (!aggregation) {
        sites.place({{op}, std::nullopt});
      } else if (graph.predecessors(*aggregation).front() == op) {
        const auto producers = graph.predecessors(*aggregation);
        sites.place({{producers.begin(), producers.end()}, aggregation});
      }
    }
  }
  return sites.result();
}

}  // namespace berth::baselines
