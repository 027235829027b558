// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "cut_dp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "berth/collectives.hpp"

namespace berth::planners {
namespace {

struct Label {
  double slowest = 0.0;
  double sum = 0.0;
  std::uint32_t rest = 0;  // label of the stages behind
  std::uint32_t next = 0;  // first layer behind the stage
  Recompute recompute = Recompute::kNone;
};

// Seconds and bytes of stages of one task, from running sums over its layers.
class StageView {
 public:
  StageView(const CutTask& task, const CutView& view)
      : task_(task),
        view_(view),
        configuration_(task.problem->configurations[task.configuration]),
        collectives_(task.problem->network),
        waves_((configuration_.micro_batches + task.data - 1) / task.data) {
    const NetworkLevels& network = task.problem->network;
    for (std::uint32_t s = 1; s < task.stages; ++s) {
      const std::size_t level = network.level_between(first(0, s), first(0, s + 1));
      const std::size_t ranks = task.packing == Packing::kPipelineInner
                                    ? configuration_.block()
                                    : configuration_.block() * task.data;
      links_.push_back(collectives_.point_to_point(level, ranks));
    }
    std::vector<std::uint32_t> group;
    for (std::uint32_t r = 0; r < task.data; ++r) {
      for (std::uint32_t k = 0; k < configuration_.context * configuration_.expert; ++k) {
        group.push_back(static_cast<std::uint32_t>(first(r, 1) + k * configuration_.tensor));
      }
    }
    std::sort(group.begin(), group.end());
    const GroupShape shape = shape_of(network, group);
    reduce_ = collectives_.all_reduce(shape);
    scatter_ = collectives_.reduce_scatter(shape);
    gather_ = collectives_.all_gather(shape);
    memory_bytes_ = INFINITY;
    for (const DeviceClass& device : task.problem->classes) {
      memory_bytes_ = std::min(memory_bytes_, device.memory_bytes);
    }
  }

  [[nodiscard]] double waves() const { return static_cast<double>(waves_); }

  // Starts a stage at a position, from layer `begin`, empty.
  void open(std::uint32_t position, std::uint32_t begin) {
    position_ = position;
    begin_ = end_ = begin;
    forward_ = backward_ = dense_ = expert_ = largest_ = 0.0;
    again_ = saved_ = work_ = {};
  }

  void extend() {
    const LayerCost* slowest = &task_.problem->cost(configuration_, 0, end_);
    for (std::size_t c = 1; c < task_.problem->classes.size(); ++c) {
      const LayerCost& other = task_.problem->cost(configuration_, c, end_);
      slowest = other.forward_seconds > slowest->forward_seconds ? &other : slowest;
    }
    forward_ += slowest->forward_seconds;
    backward_ += slowest->backward_seconds;
    dense_ += slowest->dense_parameters;
    expert_ += slowest->expert_parameters;
    largest_ = std::max(largest_, slowest->dense_parameters + slowest->expert_parameters);
    for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
      again_[r] += slowest->recompute_seconds[r];
      saved_[r] += slowest->saved_bytes[r];
      work_[r] = std::max(work_[r], slowest->work_bytes[r]);
    }
    ++end_;
  }

  [[nodiscard]] std::uint32_t end() const { return end_; }
  [[nodiscard]] double compute() const { return forward_ + backward_; }

  // The first choice of recomputation that fits, and its load; nothing if none fits.
  [[nodiscard]] std::optional<std::pair<Recompute, double>> best() const {
    const std::size_t choices = task_.problem->recompute_allowed ? kRecomputeChoices : 1;
    std::optional<std::pair<Recompute, double>> found;
    for (std::size_t r = 0; r < choices; ++r) {
      if (bytes(r) > memory_bytes_) {
        continue;
      }
      const double seconds = load(r);
      if (!found || seconds < found->second) {
        found = {static_cast<Recompute>(r), seconds};
      }
    }
    return found;
  }

  [[nodiscard]] double gradient_seconds() const {
    const MemoryRules& rules = task_.problem->memory;
    const double parameters = dense_ + expert_;
    const double visible = 1.0 - view_.rules.overlap_gradient;
    if (task_.zero == 0) {
      return visible * reduce_.seconds(rules.gradient_bytes * parameters);
    }
    const double gather = gather_.seconds(rules.weight_bytes * parameters);
    const double scatter = scatter_.seconds(rules.gradient_bytes * parameters);
    return task_.zero == 1   ? visible * (gather + scatter)
           : task_.zero == 2 ? visible * gather
                             : 0.0;
  }

 private:
  [[nodiscard]] std::size_t first(std::uint32_t replica, std::uint32_t position) const {
    const std::size_t at = task_.packing == Packing::kPipelineInner
                               ? std::size_t{replica} * task_.stages + position - 1
                               : std::size_t{position - 1} * task_.data + replica;
    return at * configuration_.block();
  }

  [[nodiscard]] double bytes(std::size_t r) const {
    const MemoryRules& rules = task_.problem->memory;
    const bool whole = task_.stages == 1;
    const double dense = dense_ - (whole ? configuration_.tied_parameters : 0.0);
    const double expert_ranks = double{1} * task_.data * configuration_.context;
    const double shard = dense / (expert_ranks * configuration_.expert) + expert_ / expert_ranks;
    const double all = dense + expert_;
    const double in_flight = std::min<double>(position_, waves());
    return rules.weight_bytes * (task_.zero == 3 ? shard : all) +
           rules.gradient_bytes * (task_.zero >= 2 ? shard : all) +
           rules.optimizer_bytes * (task_.zero >= 1 ? shard : all) + in_flight * saved_[r] +
           work_[r] + (task_.zero == 3 ? 2.0 * rules.weight_bytes * largest_ : 0.0) +
           rules.reserve_bytes;
  }

  [[nodiscard]] double border_seconds(std::uint32_t cut, std::uint32_t link) const {
    double bytes = 0.0;
    // Plain chains have the edge v -> v + 1 at index v.
    if (configuration_.edges.size() + 1 == task_.problem->layers.size()) {
      bytes = configuration_.edges[cut - 1].size_bytes;
    } else {
      for (const LayerEdge& edge : configuration_.edges) {
        bytes += edge.from < cut && edge.to >= cut ? edge.size_bytes : 0.0;
      }
    }
    return links_[link].seconds + bytes * links_[link].seconds_per_byte;
  }

  [[nodiscard]] double load(std::size_t r) const {
    const double compute = forward_ + backward_ + again_[r];
    double traffic = 0.0;
    if (position_ < task_.stages) {
      traffic += border_seconds(begin_, position_ - 1);
    }
    if (position_ > 1) {
      traffic += border_seconds(end_, position_ - 2);
    }
    traffic *= 1.0 - view_.rules.overlap_transfer;
    const MemoryRules& rules = task_.problem->memory;
    const double parameters = dense_ + expert_;
    if (task_.zero >= 2) {
      const double gathers = task_.zero == 2 ? 0.0 : r == 2 ? 3.0 : 2.0;
      traffic += (1.0 - view_.rules.overlap_gradient) *
                 (scatter_.seconds(rules.gradient_bytes * parameters) +
                  gathers * gather_.seconds(rules.weight_bytes * parameters));
    }
    return view_.overlapped ? std::max(compute, traffic) : compute + traffic;
  }

  const CutTask& task_;
  const CutView& view_;
  const StrategyConfiguration& configuration_;
  Collectives collectives_;
  std::uint32_t waves_;
  std::vector<AffineCost> links_;  // [position - 1]: between it and the stage before
  CollectiveCost reduce_, scatter_, gather_;
  double memory_bytes_ = 0.0;
  std::uint32_t position_ = 1, begin_ = 0, end_ = 0;
  double forward_ = 0.0, backward_ = 0.0, dense_ = 0.0, expert_ = 0.0, largest_ = 0.0;
  std::array<double, kRecomputeChoices> again_{}, saved_{}, work_{};
};

class CutTable {
 public:
  CutTable(const CutTask& task, const CutView& view, double bound)
      : task_(task),
        keeps_front_(view.keeps_front),
        bound_(bound),
        layers_(static_cast<std::uint32_t>(task.problem->layers.size())),
        stage_(task, view),
        cells_(std::size_t{task.stages + 1} * (layers_ + 1)) {}

  std::optional<Estimate> run() {
    cell(0, layers_).push_back({});
    for (std::uint32_t s = 1; s <= task_.stages; ++s) {
      const std::uint32_t first = s == task_.stages ? 0 : task_.stages - s;
      const std::uint32_t last = s == task_.stages ? 0 : layers_ - s;
      for (std::uint32_t i = first; i <= last; ++i) {
        fill(s, i);
      }
    }
    return best();
  }

 private:
  std::vector<Label>& cell(std::uint32_t s, std::uint32_t i) {
    return cells_[std::size_t{s} * (layers_ + 1) + i];
  }

  void fill(std::uint32_t s, std::uint32_t i) {
    stage_.open(s, i);
    while (stage_.end() < layers_ - (s - 1)) {
      stage_.extend();
      const std::uint32_t j = stage_.end();
      if ((stage_.waves() - 1.0) * stage_.compute() >= bound_) {
        return;
      }
      if (cell(s - 1, j).empty()) {
        continue;
      }
      const auto found = stage_.best();
      if (!found) {
        return;  // memory only grows with the stage
      }
      const double tail = s == task_.stages ? stage_.gradient_seconds() : 0.0;
      for (std::uint32_t r = 0; r < cell(s - 1, j).size(); ++r) {
        const Label& rest = cell(s - 1, j)[r];
        const Label fresh{std::max(rest.slowest, found->second),
                          rest.sum + found->second + tail,
                          r,
                          j,
                          found->first};
        if (total(fresh) < bound_) {
          insert(cell(s, i), fresh);
        }
      }
    }
  }

  [[nodiscard]] double total(const Label& label) const {
    return label.sum + (stage_.waves() - 1.0) * label.slowest;
  }

  void insert(std::vector<Label>& front, const Label& fresh) const {
    const auto covers = [this](const Label& a, const Label& b) {
      return keeps_front_ ? a.slowest <= b.slowest && a.sum <= b.sum
                          : std::tie(a.slowest, a.sum) <= std::tie(b.slowest, b.sum);
    };
    for (const Label& label : front) {
      if (covers(label, fresh)) {
        return;
      }
    }
    std::erase_if(front, [&](const Label& label) { return covers(fresh, label); });
    front.push_back(fresh);
  }

  std::optional<Estimate> best() {
    const std::vector<Label>& whole = cell(task_.stages, 0);
    const auto least =
        std::min_element(whole.begin(), whole.end(), [this](const Label& a, const Label& b) {
          return total(a) < total(b);
        });
    if (least == whole.end()) {
      return std::nullopt;
    }
    Estimate estimate;
    estimate.seconds = total(*least);
    estimate.choice.zero = task_.zero;
    estimate.choice.packing = task_.packing;
    std::uint32_t i = 0;
    const Label* label = &*least;
    for (std::uint32_t s = task_.stages; s > 0; --s) {
      estimate.choice.stages.push_back(
          {label->next - i, task_.configuration, task_.data, label->recompute});
      i = label->next;
      label = &cell(s - 1, i)[label->rest];
    }
    return estimate;
  }

  const CutTask& task_;
  bool keeps_front_;
  double bound_;
  std::uint32_t layers_;
  StageView stage_;
  std::vector<std::vector<Label>> cells_;  // [position][first layer]
};

}  // namespace

std::optional<Estimate> find_cuts(const CutTask& task, const CutView& view, double bound) {
  return CutTable(task, view, bound).run();
}

std::vector<DegreeBound> degree_bounds(const StrategyProblem& problem) {
  std::vector<DegreeBound> bounds;
  const std::size_t devices = problem.network.num_devices();
  for (std::uint32_t index = 0; index < problem.configurations.size(); ++index) {
    const StrategyConfiguration& c = problem.configurations[index];
    double whole = 0.0;
    double heaviest = 0.0;
    for (std::size_t v = 0; v < problem.layers.size(); ++v) {
      double least = INFINITY;
      for (std::size_t k = 0; k < problem.classes.size(); ++k) {
        const LayerCost& cost = problem.cost(c, k, v);
        least = std::min(least, cost.forward_seconds + cost.backward_seconds);
      }
      whole += least;
      heaviest = std::max(heaviest, least);
    }
    const std::size_t most = std::min(problem.layers.size(), devices / c.block());
    for (std::uint32_t p = 1; p <= most; ++p) {
      const auto data = static_cast<std::uint32_t>(
          std::min<std::size_t>(c.micro_batches, devices / (c.block() * p)));
      const double waves = static_cast<double>((c.micro_batches + data - 1) / data);
      const double slowest = std::max(heaviest, whole / p);
      bounds.push_back({(whole + (waves - 1.0) * slowest) * (1.0 - 1e-9), index, p, data});
    }
  }
  std::stable_sort(bounds.begin(), bounds.end(), [](const DegreeBound& a, const DegreeBound& b) {
    return std::tie(a.seconds, a.configuration, a.stages) <
           std::tie(b.seconds, b.configuration, b.stages);
  });
  return bounds;
}

std::vector<Estimate> search_degrees(const StrategyProblem& problem,
                                     const CutView& view,
                                     std::uint32_t most_zero,
                                     std::size_t top_k) {
  std::vector<Estimate> best;
  for (const DegreeBound& group : degree_bounds(problem)) {
    const double limit = best.size() < top_k ? INFINITY : best.back().seconds;
    if (group.seconds >= limit) {
      break;
    }
    const StrategyConfiguration& c = problem.configurations[group.configuration];
    const bool shards = std::size_t{group.data} * c.context * c.expert > 1;
    for (const Packing packing : {Packing::kPipelineInner, Packing::kDataInner}) {
      if (packing == Packing::kDataInner && (group.data == 1 || group.stages == 1)) {
        continue;
      }
      for (std::uint32_t zero = 0; zero <= (shards ? most_zero : 0); ++zero) {
        const CutTask task{&problem, group.configuration, group.stages, group.data, zero, packing};
        auto found = find_cuts(task, view, best.size() < top_k ? INFINITY : best.back().seconds);
        if (!found) {
          continue;
        }
        const auto at = std::upper_bound(
            best.begin(), best.end(), *found, [](const Estimate& a, const Estimate& b) {
              return a.seconds < b.seconds;
            });
        best.insert(at, std::move(*found));
        if (best.size() > top_k) {
          best.pop_back();
        }
      }
    }
  }
  return best;
}

}  // namespace berth::planners
