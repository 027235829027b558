// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "outer_search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <queue>
#include <string>
#include <tuple>

#include "berth/error.hpp"

#include "pipeline_search.hpp"

namespace berth::nest {
namespace {

// Value of the objective; compared part by part.
using Key = std::pair<double, double>;

constexpr double kSlack = 1.0 + 1e-9;

struct Group {
  double bound = 0.0;
  std::uint32_t configuration = 0;
  std::uint32_t stages = 1;
  bool tight = false;

  // Least bound on top; ties by configuration, then stages.
  friend bool operator<(const Group& a, const Group& b) {
    return std::tie(a.bound, a.configuration, a.stages) >
           std::tie(b.bound, b.configuration, b.stages);
  }
};

bool matches(const Pins& pins, const StrategyConfiguration& c) {
  const auto equal = [](const auto& pin, const auto& value) { return !pin || *pin == value; };
  return equal(pins.tensor, c.tensor) && equal(pins.context, c.context) &&
         equal(pins.expert, c.expert) && equal(pins.micro_batch, c.micro_batch) &&
         equal(pins.sequence_parallel, c.sequence_parallel);
}

class OuterSearch {
 public:
  OuterSearch(const StrategyProblem& problem,
              const SearchSettings& settings,
              std::uint32_t top_k,
              const WorkShare& share)
      : problem_(problem),
        settings_(settings),
        top_k_(top_k),
        share_(share),
        collectives_(problem.network),
        sums_(problem.configurations.size()) {
    for (const DeviceClass& device_class : problem.classes) {
      least_price_ = std::min(least_price_, device_class.price_per_hour);
    }
  }

  StrategyAnswer run() {
    open_groups();
    while (!queue_.empty()) {
      Group group = queue_.top();
      queue_.pop();
      if (settings_.objective == Objective::kTime && group.bound >= worst().first) {
        break;
      }
      if (!group.tight) {
        group.bound = time_bound(group, /*tight=*/true);
        group.tight = true;
        queue_.push(group);
        continue;
      }
      solve(group);
    }
    answer_.plans = std::move(best_);
    return std::move(answer_);
  }

 private:
  [[nodiscard]] std::size_t most_data(const Group& group) const {
    const StrategyConfiguration& c = problem_.configurations[group.configuration];
    return std::min<std::size_t>(c.micro_batches,
                                 problem_.network.num_devices() / (c.block() * group.stages));
  }

  void open_groups() {
    for (std::uint32_t index = 0; index < problem_.configurations.size(); ++index) {
      const StrategyConfiguration& c = problem_.configurations[index];
      if (!share_.holds(index) || !matches(settings_.pins, c) ||
          c.block() > problem_.network.num_devices()) {
        continue;
      }
      sums_[index] = std::make_unique<ChainSums>(problem_, c);
      const std::size_t most =
          std::min(problem_.layers.size(), problem_.network.num_devices() / c.block());
      for (std::uint32_t s = 1; s <= most; ++s) {
        Group group{0.0, index, s, false};
        const bool pinned = settings_.pins.stages && *settings_.pins.stages != s;
        const bool data = settings_.pins.data && *settings_.pins.data > most_data(group);
        if (!pinned && !data) {
          group.bound = time_bound(group, /*tight=*/false);
          queue_.push(group);
          answer_.candidates += most_data(group);
        }
      }
    }
  }

  // Least time of a group with `data` replicas: compute alone, cuts as good as they can be.
  [[nodiscard]] double time_bound(const Group& group, bool tight) const {
    const std::size_t data = settings_.pins.data ? *settings_.pins.data : most_data(group);
    return bound_with(group, waves(group, data), tight);
  }
  [[nodiscard]] double bound_with(const Group& group, double waves, bool tight) const {
    const ChainSums& sums = *sums_[group.configuration];
    const double whole = sums.least(0, sums.layers());
    const double slowest =
        tight ? sums.slowest_bound(group.stages)
              : std::max(whole / static_cast<double>(group.stages), sums.heaviest_layer());
    return (whole + (waves - 1.0) * slowest) * (1.0 - 1e-9);
  }
  [[nodiscard]] double waves(const Group& group, std::size_t data) const {
    const std::size_t batch = problem_.configurations[group.configuration].micro_batches;
    return static_cast<double>((batch + data - 1) / data);
  }

  [[nodiscard]] Key key_of(double seconds, double devices, double price) const {
    switch (settings_.objective) {
      case Objective::kCost:
        return {seconds * price / 3600.0, seconds};
      case Objective::kDevices:
        return {devices, seconds};
      default:
        return {seconds, 0.0};
    }
  }

  // What cannot enter the list. A little above its last entry: plans of equal value are all found,
  // so that the tie between them does not depend on which came first.
  [[nodiscard]] Key worst() const {
    if (best_.size() < top_k_) {
      return {INFINITY, INFINITY};
    }
    const PlanKey& last = best_.back().key;
    return {last.objective * kSlack, last.seconds * kSlack};
  }

  void solve(const Group& group) {
    const StrategyConfiguration& c = problem_.configurations[group.configuration];
    const double block = static_cast<double>(c.block() * group.stages);
    const double slowest = sums_[group.configuration]->slowest_bound(group.stages);
    const double whole = sums_[group.configuration]->least(0, problem_.layers.size());
    for (std::size_t d = most_data(group); d > 0; --d) {
      if (settings_.pins.data && *settings_.pins.data != d) {
        continue;
      }
      const double devices = block * static_cast<double>(d);
      const double least = (whole + (waves(group, d) - 1.0) * slowest) * (1.0 - 1e-9);
      if (key_of(least, devices, least_price_ * devices) >= worst()) {
        if (settings_.objective == Objective::kTime) {
          return;  // fewer replicas take longer still
        }
        continue;
      }
      solve_data(group, d);
    }
  }

  void solve_data(const Group& group, std::size_t d) {
    const StrategyConfiguration& c = problem_.configurations[group.configuration];
    for (const Packing packing : {Packing::kPipelineInner, Packing::kDataInner}) {
      const bool same = packing == Packing::kDataInner && (d == 1 || group.stages == 1);
      const bool pinned = settings_.pins.packing && *settings_.pins.packing != packing;
      if (pinned || (same && !settings_.pins.packing)) {
        continue;
      }
      const PipelineLayout layout{packing, c.block(), group.stages, d};
      const std::vector<Position> positions = make_positions(problem_, c, collectives_, layout);
      const std::size_t shards = d * c.context * c.expert;
      for (std::uint32_t zero = 0; zero <= (shards > 1 ? 3U : 0U); ++zero) {
        if (settings_.pins.zero && *settings_.pins.zero != zero) {
          continue;
        }
        PipelineTask task{&problem_,
                          group.configuration,
                          zero,
                          layout,
                          &positions,
                          sums_[group.configuration].get(),
                          {}};
        if (c.tied_parameters > 0.0 && group.stages > 1) {
          task.tied = tied_reduce(problem_, collectives_, layout);
        }
        ++answer_.solved;
        auto plan = search_pipeline(task, settings_, time_limit(layout));
        if (plan) {
          keep(std::move(*plan), task);
        }
      }
    }
  }

  // Plans that take longer than this cannot enter the list.
  [[nodiscard]] double time_limit(const PipelineLayout& layout) const {
    const double devices = static_cast<double>(layout.block * layout.stages * layout.data);
    const Key last = worst();
    switch (settings_.objective) {
      case Objective::kCost:
        return least_price_ > 0.0 ? last.first * 3600.0 / (least_price_ * devices) : INFINITY;
      case Objective::kDevices:
        return devices < last.first ? INFINITY : last.second;
      default:
        return last.first;
    }
  }

  void keep(ParallelPlan plan, const PipelineTask& task) {
    const StrategyConfiguration& c = problem_.configurations[task.configuration];
    plan.configuration = task.configuration;
    plan.tensor = c.tensor;
    plan.context = c.context;
    plan.expert = c.expert;
    plan.sequence_parallel = c.sequence_parallel;
    plan.micro_batch = c.micro_batch;
    plan.data = static_cast<std::uint32_t>(task.layout.data);
    plan.micro_batches = static_cast<std::uint32_t>((c.micro_batches + plan.data - 1) / plan.data);
    plan.zero_stage = task.zero;
    plan.packing = task.layout.packing;
    double price = 0.0;
    for (std::size_t q = 0; q < plan.stages.size(); ++q) {
      plan.stages[q].configuration = task.configuration;
      for (std::size_t r = 0; r < plan.data; ++r) {
        plan.stages[q].blocks.push_back(consecutive_block(
            task.layout.first_device(r, task.layout.stages - q), task.layout.block));
        for (const std::uint32_t device : plan.stages[q].blocks.back()) {
          price += problem_.classes[problem_.class_of(device)].price_per_hour;
        }
      }
    }
    const Key key = key_of(plan.seconds_per_batch, static_cast<double>(plan.devices_used()), price);
    plan.key = {key.first, plan.seconds_per_batch, plan.configuration, order_of(plan)};
    const auto at = std::upper_bound(
        best_.begin(), best_.end(), plan, [](const ParallelPlan& a, const ParallelPlan& b) {
          return a.key < b.key;
        });
    best_.insert(at, std::move(plan));
    if (best_.size() > top_k_) {
      best_.pop_back();
    }
  }

  // Fewer stages first, then fewer replicas, the lower ZeRO stage, pipeline-inner.
  static std::uint64_t order_of(const ParallelPlan& plan) {
    return ((plan.stages.size() << 32 | plan.data) << 2 | plan.zero_stage) << 1 |
           static_cast<std::uint64_t>(plan.packing);
  }

  const StrategyProblem& problem_;
  const SearchSettings& settings_;
  std::size_t top_k_;
  WorkShare share_;
  Collectives collectives_;
  double least_price_ = INFINITY;
  std::vector<std::unique_ptr<ChainSums>> sums_;  // [configuration]; null where pins exclude it
  std::priority_queue<Group> queue_;
  std::vector<ParallelPlan> best_;  // by key
  StrategyAnswer answer_;
};

void check_chain(const StrategyProblem& problem) {
  for (const StrategyConfiguration& c : problem.configurations) {
    bool plain = c.edges.size() + 1 == problem.layers.size();
    for (std::size_t v = 0; plain && v < c.edges.size(); ++v) {
      plain = c.edges[v].from == v && c.edges[v].to == v + 1;
    }
    if (!plain) {
      throw InputError(problem.model +
                       ": edges that skip layers; mode default plans plain chains, in order; use "
                       "mode=artifact");
    }
  }
}

}  // namespace

std::size_t default_work_items(const StrategyProblem& problem) {
  return problem.configurations.size();
}

StrategyAnswer plan_default(const StrategyProblem& problem,
                            const SearchSettings& settings,
                            std::uint32_t top_k,
                            const WorkShare& share) {
  check_chain(problem);
  if (settings.objective == Objective::kCost) {
    for (const DeviceClass& device_class : problem.classes) {
      if (!(device_class.price_per_hour > 0.0)) {
        throw InputError(problem.cluster + ": objective=cost, but " + device_class.name +
                         " has no price; set price_per_hour in the cluster file");
      }
    }
  }
  StrategyAnswer answer = OuterSearch(problem, settings, std::max(top_k, 1U), share).run();
  if (answer.plans.empty()) {
    answer.infeasible = explain_infeasible(problem, settings);
  }
  return answer;
}

}  // namespace berth::nest
