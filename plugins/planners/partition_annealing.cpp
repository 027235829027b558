// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "partition_annealing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "berth/error.hpp"
#include "berth/rng.hpp"

#include "contiguous_partitioner.hpp"
#include "device_loads.hpp"
#include "item_graph.hpp"

namespace berth::planners {
namespace {

using Devices = std::vector<std::size_t>;

void check_kind(const PartitionProblem& problem) {
  bool plain = problem.widths.size() == 1 && !problem.data_parallel;
  for (const PartitionNode& node : problem.nodes) {
    plain = plain && node.variants[0].size() <= 1;
    for (const PartitionVariant& variant : node.variants[0]) {
      plain = plain && variant.stash_bytes == 0.0 && variant.at_border.empty();
    }
  }
  if (!plain) {
    throw InputError(problem.model +
                     ": replicas, tensor widths or choices of variants; annealing moves nodes that "
                     "run one way; use partitioner contiguous");
  }
}

class Annealing {
 public:
  Annealing(const PartitionProblem& problem, const PartitionAnnealing& settings)
      : problem_(problem), settings_(settings), loads_(problem) {
    const ItemGraph graph = make_items(problem);
    items_ = graph.nodes;
    items_.insert(items_.end(), graph.free_nodes.begin(), graph.free_nodes.end());
    for (std::uint32_t k = 0; k < items_.size(); ++k) {
      std::vector<std::size_t> where;
      for (std::size_t device = 0; device < loads_.devices(); ++device) {
        const bool runs = std::all_of(items_[k].begin(), items_[k].end(), [&](std::uint32_t v) {
          return loads_.can_run(v, device);
        });
        if (runs) {
          where.push_back(device);
        }
      }
      choices_.push_back(std::move(where));
    }
  }

  PartitionAnswer run() {
    PartitionAnswer answer;
    if (!start(answer)) {
      return answer;
    }
    const Devices first = best_;
    for (std::uint32_t r = 0; r < settings_.restarts; ++r) {
      // Even restarts leave from the start, odd ones from the best so far, less hot.
      settle(r % 2 == 0 ? first : best_);
      Rng rng(settings_.seed, {0x616e6e65, r});
      const std::uint64_t share =
          settings_.moves / settings_.restarts + (r < settings_.moves % settings_.restarts ? 1 : 0);
      anneal(rng, share, r % 2 == 0 ? 0.05 : 0.01);
      answer.examined += share;
    }
    answer.plans.push_back(plan());
    answer.plans[0].slowest_seconds = score_partition(problem_, answer.plans[0]).slowest_seconds;
    return answer;
  }

 private:
  // The best contiguous plan, or items dealt by size to the emptiest device that can hold them.
  bool start(PartitionAnswer& answer) {
    at_.assign(items_.size(), 0);
    try {
      PartitionAnswer contiguous = partition_contiguous(problem_);
      if (!contiguous.plans.empty()) {
        take(contiguous.plans[0]);
        return true;
      }
      answer.infeasible = contiguous.infeasible;
    } catch (const InputError& error) {
      answer.notes.emplace_back(error.what());
    }
    if (deal()) {
      answer.infeasible.clear();
      return true;
    }
    answer.infeasible.push_back(problem_.model +
                                ": memory: items dealt largest first to the emptiest of " +
                                std::to_string(problem_.accelerators) + " accelerators do not fit");
    return false;
  }

  void take(const PartitionPlan& plan) {
    std::size_t accelerator = 0;
    std::size_t host = problem_.accelerators;
    Devices device_of(problem_.nodes.size());
    for (const PartitionStage& stage : plan.stages) {
      const std::size_t device = stage.on_host ? host++ : accelerator++;
      for (const std::uint32_t v : stage.nodes) {
        device_of[v] = device;
      }
    }
    for (std::size_t k = 0; k < items_.size(); ++k) {
      put(k, device_of[items_[k][0]]);
    }
    remember();
  }

  bool deal() {
    std::vector<double> size(items_.size(), 0.0);
    for (std::size_t k = 0; k < items_.size(); ++k) {
      for (const std::uint32_t v : items_[k]) {
        const auto& variants = problem_.nodes[v].variants[0];
        size[k] += variants.empty() ? 0.0 : variants[0].fixed_bytes;
      }
    }
    std::vector<std::size_t> order(items_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return size[a] > size[b];
    });
    for (const std::size_t k : order) {
      if (choices_[k].empty()) {
        return false;
      }
      const std::size_t device =
          *std::min_element(choices_[k].begin(), choices_[k].end(), [&](auto a, auto b) {
            return loads_.bytes(a) < loads_.bytes(b);
          });
      put(k, device);
    }
    for (std::size_t device = 0; device < loads_.devices(); ++device) {
      if (!loads_.fits(device)) {
        return false;
      }
    }
    remember();
    return true;
  }

  void put(std::size_t item, std::size_t device) {
    for (const std::uint32_t v : items_[item]) {
      loads_.place(v, device);
    }
    at_[item] = device;
  }

  void shift(std::size_t item, std::size_t device) {
    for (const std::uint32_t v : items_[item]) {
      loads_.lift(v, at_[item]);
    }
    put(item, device);
  }

  // Loads summed anew, free of what rounding has left behind.
  void settle(const Devices& devices) {
    loads_.clear();
    for (std::size_t k = 0; k < items_.size(); ++k) {
      put(k, devices[k]);
    }
  }

  [[nodiscard]] double slowest() const {
    double most = 0.0;
    for (std::size_t device = 0; device < loads_.devices(); ++device) {
      most = std::max(most, loads_.seconds(device));
    }
    return most;
  }

  // The 16-norm: near the maximum, but lighter second loads count too.
  [[nodiscard]] double energy() const {
    const double scale = slowest();
    double sum = 0.0;
    for (std::size_t device = 0; scale > 0.0 && device < loads_.devices(); ++device) {
      const double share = loads_.seconds(device) / scale;
      const double fourth = share * share * share * share;
      sum += fourth * fourth * fourth * fourth;
    }
    return scale * std::pow(sum, 1.0 / 16.0);
  }

  void remember() {
    if (best_.empty() || slowest() < least_ * (1.0 - 1e-12)) {
      best_ = at_;
      least_ = slowest();
    }
  }

  void anneal(Rng& rng, std::uint64_t moves, double heat) {
    double here = energy();
    const double hot = heat * here;
    for (std::uint64_t move = 0; move < moves && hot > 0.0; ++move) {
      const double temperature =
          hot * std::pow(1e-3, static_cast<double>(move) / static_cast<double>(moves));
      const std::size_t a = rng.below(items_.size());
      const bool exchange = rng.below(3) == 0;
      const std::size_t b = exchange ? rng.below(items_.size()) : a;
      const std::size_t from_a = at_[a];
      const std::size_t from_b = at_[b];
      const std::size_t to_a = exchange ? from_b : choices_[a][rng.below(choices_[a].size())];
      if (to_a == from_a || (exchange && !allows(a, b))) {
        continue;
      }
      shift(a, to_a);
      if (exchange) {
        shift(b, from_a);
      }
      const double there = energy();
      const bool legal = loads_.fits(to_a) && loads_.fits(from_a);
      if (legal && (there <= here || rng.uniform() < std::exp((here - there) / temperature))) {
        here = there;
        remember();
        continue;
      }
      if (exchange) {
        shift(b, from_b);
      }
      shift(a, from_a);
    }
  }

  [[nodiscard]] bool allows(std::size_t a, std::size_t b) const {
    const auto can = [this](std::size_t item, std::size_t device) {
      return std::find(choices_[item].begin(), choices_[item].end(), device) !=
             choices_[item].end();
    };
    return can(a, at_[b]) && can(b, at_[a]);
  }

  [[nodiscard]] PartitionPlan plan() const {
    PartitionPlan plan;
    for (std::size_t device = 0; device < loads_.devices(); ++device) {
      PartitionStage stage;
      stage.on_host = loads_.is_host(device);
      for (std::size_t k = 0; k < items_.size(); ++k) {
        if (best_[k] == device) {
          stage.nodes.insert(stage.nodes.end(), items_[k].begin(), items_[k].end());
        }
      }
      std::sort(stage.nodes.begin(), stage.nodes.end());
      if (!stage.on_host) {
        stage.choices.assign(stage.nodes.size(), 0);
      }
      if (!stage.nodes.empty()) {
        plan.stages.push_back(std::move(stage));
      }
    }
    return plan;
  }

  const PartitionProblem& problem_;
  const PartitionAnnealing& settings_;
  DeviceLoads loads_;
  std::vector<std::vector<std::uint32_t>> items_;  // nodes
  std::vector<std::vector<std::size_t>> choices_;  // [items]: devices that can run them
  Devices at_;                                     // [items]
  Devices best_;
  double least_ = INFINITY;
};

class AnnealingPartitioner final : public GraphPartitioner {
 public:
  explicit AnnealingPartitioner(const HostServices& host) {
    settings_.moves = static_cast<std::uint64_t>(host.config->integer("moves"));
    settings_.restarts = static_cast<std::uint32_t>(host.config->integer("restarts"));
    settings_.seed = host.seed;
  }

  PartitionAnswer partition(const PartitionProblem& problem) override {
    return anneal_partition(problem, settings_);
  }

 private:
  PartitionAnnealing settings_;
};

}  // namespace

PartitionAnswer anneal_partition(const PartitionProblem& problem,
                                 const PartitionAnnealing& settings) {
  check_partition_problem(problem);
  check_kind(problem);
  return Annealing(problem, settings).run();
}

std::unique_ptr<GraphPartitioner> make_annealing_partitioner(const HostServices& host) {
  return std::make_unique<AnnealingPartitioner>(host);
}

}  // namespace berth::planners
