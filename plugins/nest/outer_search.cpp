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

#include "interleaved_search.hpp"
#include "memory_fit.hpp"
#include "mixed_search.hpp"
#include "pipeline_search.hpp"
#include "plan_list.hpp"
#include "search_items.hpp"

namespace berth::nest {
namespace {

// All plans of one configuration and number of stages.
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

class OuterSearch {
 public:
  OuterSearch(const StrategyProblem& problem,
              const SearchSettings& settings,
              std::uint32_t top_k,
              const WorkShare& share)
      : problem_(problem),
        settings_(settings),
        share_(share),
        collectives_(problem.network),
        orders_(device_orders(problem)),
        sums_(problem.configurations.size()),
        list_(problem, settings, top_k) {}

  StrategyAnswer run() {
    if (!states_fit(problem_)) {
      return std::move(answer_);
    }
    if (!settings_.pins.mixed.value_or(false)) {
      if (settings_.pins.chunks.value_or(1) == 1) {
        search_uniform();
      }
      search_all_interleaved();
    }
    search_all_mixed();
    answer_.plans = list_.take();
    return std::move(answer_);
  }

 private:
  [[nodiscard]] const StrategyConfiguration& shape(std::size_t index) const {
    return problem_.configurations[index];
  }
  [[nodiscard]] const ChainSums& sums(std::size_t index) {
    if (!sums_[index]) {
      sums_[index] = std::make_unique<ChainSums>(problem_, shape(index));
    }
    return *sums_[index];
  }
  [[nodiscard]] bool usable(std::size_t index) const {
    return settings_.pins.allow(shape(index)) &&
           shape(index).block() <= problem_.network.num_devices();
  }

  [[nodiscard]] std::size_t most_data(std::size_t configuration, std::size_t depth) const {
    const StrategyConfiguration& c = shape(configuration);
    return std::min<std::size_t>(c.micro_batches,
                                 problem_.network.num_devices() / (c.block() * depth));
  }
  [[nodiscard]] double waves(std::size_t configuration, std::size_t data) const {
    const std::size_t batch = shape(configuration).micro_batches;
    return static_cast<double>((batch + data - 1) / data);
  }

  // Every stage alike, best bound first.
  void search_uniform() {
    open_groups();
    while (!queue_.empty()) {
      Group group = queue_.top();
      queue_.pop();
      if (settings_.objective == Objective::kTime && list_.excludes(group.bound, 0.0)) {
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
  }

  void open_groups() {
    for (std::uint32_t index = 0; index < problem_.configurations.size(); ++index) {
      if (!share_.holds(index) || !usable(index)) {
        continue;
      }
      const std::size_t most =
          std::min(problem_.layers.size(), problem_.network.num_devices() / shape(index).block());
      for (std::uint32_t s = 1; s <= most; ++s) {
        Group group{0.0, index, s, false};
        const bool pinned = settings_.pins.stages && *settings_.pins.stages != s;
        const bool data = settings_.pins.data && *settings_.pins.data > most_data(index, s);
        if (!pinned && !data) {
          group.bound = time_bound(group, /*tight=*/false);
          queue_.push(group);
          answer_.candidates += most_data(index, s);
        }
      }
    }
  }

  // Least time of a group: compute alone, cuts as good as they can be.
  [[nodiscard]] double time_bound(const Group& group, bool tight) {
    const std::size_t data =
        settings_.pins.data ? *settings_.pins.data : most_data(group.configuration, group.stages);
    const ChainSums& chain = sums(group.configuration);
    const double whole = chain.least(0, chain.layers());
    const double slowest =
        tight ? chain.slowest_bound(group.stages)
              : std::max(whole / static_cast<double>(group.stages), chain.heaviest_layer());
    return (whole + (waves(group.configuration, data) - 1.0) * slowest) * (1.0 - 1e-9);
  }

  // Whether nothing of the group fits anywhere; asked while no plan has been found.
  [[nodiscard]] bool out_of_memory(const Group& group) {
    if (!list_.empty() || problem_.classes.size() > 1) {
      return false;
    }
    const PipelineLayout layout{Packing::kDataInner,
                                shape(group.configuration).block(),
                                group.stages,
                                most_data(group.configuration, group.stages),
                                &orders_.front()};
    return !fits_one_class(
        {&problem_, group.configuration, 0, layout, nullptr, &sums(group.configuration), {}},
        settings_);
  }

  void solve(const Group& group) {
    if (out_of_memory(group)) {
      return;
    }
    const double block = static_cast<double>(shape(group.configuration).block() * group.stages);
    const double slowest = sums(group.configuration).slowest_bound(group.stages);
    const double whole = sums(group.configuration).least(0, problem_.layers.size());
    for (std::size_t d = most_data(group.configuration, group.stages); d > 0; --d) {
      if (settings_.pins.data && *settings_.pins.data != d) {
        continue;
      }
      const double least = (whole + (waves(group.configuration, d) - 1.0) * slowest) * (1.0 - 1e-9);
      if (list_.excludes(least, block * static_cast<double>(d))) {
        if (settings_.objective == Objective::kTime) {
          return;  // fewer replicas take longer still
        }
        continue;
      }
      for_each_task(group.configuration, group.stages, d, [&](PipelineTask& task) {
        auto plan = search_pipeline(task, settings_, limit_of(task));
        if (plan) {
          keep(std::move(*plan), task);
        }
      });
    }
  }

  [[nodiscard]] double limit_of(const PipelineTask& task) const {
    return list_.time_limit(
        static_cast<double>(task.layout.block * task.layout.stages * task.layout.data));
  }

  // Every order of devices, packing and ZeRO stage of these degrees.
  template <class Search>
  void for_each_task(std::uint32_t configuration,
                     std::size_t depth,
                     std::size_t data,
                     const Search& search) {
    const StrategyConfiguration& c = shape(configuration);
    for (const DeviceOrder& order : orders_) {
      for (const Packing packing : {Packing::kPipelineInner, Packing::kDataInner}) {
        const bool same = packing == Packing::kDataInner && (data == 1 || depth == 1);
        const bool pinned = settings_.pins.packing && *settings_.pins.packing != packing;
        if (pinned || (same && !settings_.pins.packing)) {
          continue;
        }
        const PipelineLayout layout{packing, c.block(), depth, data, &order};
        const std::vector<Position> positions = make_positions(problem_, c, collectives_, layout);
        PipelineTask task{
            &problem_, configuration, 0, layout, &positions, &sums(configuration), {}};
        if (c.tied_parameters > 0.0 && depth > 1) {
          task.tied = tied_reduce(problem_, collectives_, layout);
        }
        const std::size_t shards = data * c.context * c.expert;
        for (task.zero = 0; task.zero <= (shards > 1 ? 3U : 0U); ++task.zero) {
          if (!settings_.pins.zero || *settings_.pins.zero == task.zero) {
            ++answer_.solved;
            search(task);
          }
        }
      }
    }
  }

  // Chunks of a block take turns; the most promising degrees first, to have a bound early.
  void search_all_interleaved() {
    if (settings_.pins.chunks.value_or(2) < 2) {
      return;
    }
    std::vector<std::pair<Interleaving, std::uint32_t>> all;
    const bool is_long = problem_.layers.size() > kLongChain;
    for (std::uint32_t index = 0; index < problem_.configurations.size(); ++index) {
      if ((share_.holds(index) || is_long) && usable(index)) {
        for (const Interleaving& degrees : interleavings(problem_, index, sums(index), settings_)) {
          all.emplace_back(degrees, index);
        }
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.first.seconds < b.first.seconds;
    });
    if (is_long) {  // the same ones whatever the share
      all.resize(std::min(all.size(), kMostInterleavings));
      std::erase_if(all, [&](const auto& entry) { return !share_.holds(entry.second); });
    }
    answer_.candidates += all.size();
    for (const auto& [degrees, index] : all) {
      search_interleaving(index, degrees);
    }
  }

  void search_interleaving(std::uint32_t index, const Interleaving& degrees) {
    const double devices = static_cast<double>(shape(index).block() * degrees.depth * degrees.data);
    // A block is busy for all its layers and micro-batches.
    const double least = waves(index, degrees.data) * sums(index).least(0, problem_.layers.size()) /
                         static_cast<double>(degrees.depth) * (1.0 - 1e-9);
    if (list_.excludes(least, devices)) {
      return;
    }
    for_each_task(index, degrees.depth, degrees.data, [&](PipelineTask& task) {
      const AffineCost wrap =
          link_between(problem_, collectives_, task.layout, 1, task.layout.stages);
      auto plan = search_interleaved({task, degrees.chunks, wrap}, settings_, limit_of(task));
      if (plan) {
        keep(std::move(*plan), task);
      }
    });
  }

  // Stages of unequal degrees. Other objectives than time would need a table of their own.
  void search_all_mixed() {
    const Pins& pins = settings_.pins;
    const bool open = !pins.tensor && !pins.data && !pins.stages && pins.mixed.value_or(true) &&
                      pins.chunks.value_or(1) == 1 &&
                      pins.packing.value_or(Packing::kDataInner) == Packing::kDataInner;
    const bool small = problem_.network.num_devices() <= kMostMixedDevices;
    if (!open || settings_.objective != Objective::kTime || !(small || pins.mixed)) {
      return;
    }
    const std::vector<std::vector<std::uint32_t>> groups = mixed_groups(problem_);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const std::size_t item = problem_.configurations.size() + g;
      if (!share_.holds(item)) {
        continue;
      }
      MixedTask task{&problem_, &collectives_, {}, {}, 0, nullptr};
      for (const std::uint32_t index : groups[g]) {
        if (usable(index)) {
          task.configurations.push_back(index);
          task.sums.push_back(&sums(index));
        }
      }
      if (!task.configurations.empty()) {
        search_mixed_group(task, item);
      }
    }
  }

  void search_mixed_group(MixedTask& task, std::size_t item) {
    const double least = mixed_bound(task);
    for (std::size_t k = 0; k < orders_.size(); ++k) {
      task.order = &orders_[k];
      for (task.zero = 0; task.zero <= 3; ++task.zero) {
        ++answer_.candidates;
        if ((settings_.pins.zero && *settings_.pins.zero != task.zero) ||
            list_.excludes(least, 0.0)) {
          continue;
        }
        ++answer_.solved;
        auto found = search_mixed(task, settings_, list_.time_limit(0.0));
        if (!found) {
          continue;
        }
        ParallelPlan& plan = found->plan;
        plan.pipeline_seconds = std::max(plan.pipeline_seconds, found->played_seconds);
        plan.seconds_per_batch = plan.pipeline_seconds + plan.sync_seconds;
        plan.zero_stage = task.zero;
        plan.packing = Packing::kDataInner;
        plan.class_order = task.order->classes;
        set_degrees(plan);
        list_.keep(std::move(plan), item, k << 2 | task.zero);
      }
    }
  }

  void set_degrees(ParallelPlan& plan) const {
    const StrategyConfiguration& c = shape(plan.configuration);
    plan.tensor = c.tensor;
    plan.context = c.context;
    plan.expert = c.expert;
    plan.sequence_parallel = c.sequence_parallel;
    plan.micro_batch = c.micro_batch;
  }

  void keep(ParallelPlan plan, const PipelineTask& task) {
    plan.configuration = task.configuration;
    set_degrees(plan);
    plan.data = static_cast<std::uint32_t>(task.layout.data);
    plan.micro_batches = static_cast<std::uint32_t>(task.waves());
    plan.zero_stage = task.zero;
    plan.packing = task.layout.packing;
    plan.class_order = task.layout.order->classes;
    for (std::size_t q = 0; q < plan.stages.size(); ++q) {
      plan.stages[q].configuration = task.configuration;
      for (std::size_t r = 0; r < plan.data; ++r) {
        plan.stages[q].blocks.push_back(
            task.layout.block_devices(r, task.layout.stages - q % task.layout.stages));
      }
    }
    const auto order = static_cast<std::uint64_t>(task.layout.order - orders_.data());
    list_.keep(std::move(plan), task.configuration, order_of(plan, order));
  }

  // Fewer stages first, then fewer chunks, fewer replicas, the lower ZeRO stage, pipeline-inner,
  // the earlier order of devices.
  static std::uint64_t order_of(const ParallelPlan& plan, std::uint64_t order) {
    std::uint64_t key = plan.stages.size();
    key = key << 12 | plan.chunks;
    key = key << 20 | plan.data;
    key = key << 2 | plan.zero_stage;
    key = key << 1 | static_cast<std::uint64_t>(plan.packing);
    return key << 5 | order;
  }

  const StrategyProblem& problem_;
  const SearchSettings& settings_;
  WorkShare share_;
  Collectives collectives_;
  std::vector<DeviceOrder> orders_;
  std::vector<std::unique_ptr<ChainSums>> sums_;  // [configuration]; null until asked for
  std::priority_queue<Group> queue_;
  PlanList list_;
  StrategyAnswer answer_;
};

}  // namespace

StrategyAnswer plan_default(const StrategyProblem& problem,
                            const SearchSettings& settings,
                            std::uint32_t top_k,
                            const WorkShare& share) {
  check_chain(problem);
  if (settings.objective == Objective::kCost) {
    for (const DeviceClass& device_class : problem.classes) {
      if (!(device_class.price_per_hour > 0.0)) {
        throw InputError(problem.cluster + ": objective=cost, but " + device_class.name +
                         " has no list price; give price_per_hour in a cluster file");
      }
    }
  }
  StrategyAnswer answer = OuterSearch(problem, settings, std::max(top_k, 1U), share).run();
  if (answer.plans.empty()) {
    // Reasons are about the whole problem: the first share gives them for all.
    answer.infeasible = share.rank == 0 ? explain_infeasible(problem, settings)
                                        : std::vector<std::string>{"nothing fits among this share"};
  }
  return answer;
}

}  // namespace berth::nest
