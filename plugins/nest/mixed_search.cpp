// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "mixed_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "berth/plan_score.hpp"

#include "mixed_sites.hpp"
#include "stage_price.hpp"

namespace berth::nest {
namespace {

// A pipeline of the layers from some layer on. Its first stage does not know yet what stands before
// it: `load` and `sum` lack the message from there.
struct MixedLabel {
  double steady = 0.0;        // most (micro-batches - 1) * load of the stages behind the first
  double sum = 0.0;           // of all loads
  double exposed = 0.0;       // gradient time after the last backward pass of the whole pipeline
  double load = 0.0;          // of the first stage
  std::uint32_t degrees = 0;  // replicas of all stages together
  std::uint32_t rest = 0;     // label of the rest
  std::uint16_t next = 0;     // first layer of the following stage
  std::uint16_t choice = 0;
  std::uint8_t recompute = 0;
  bool mixed = false;
};

bool dominates(const MixedLabel& a, const MixedLabel& b) {
  return a.steady <= b.steady && a.sum <= b.sum && a.exposed <= b.exposed && a.load <= b.load &&
         a.degrees <= b.degrees;
}

// Least device-seconds, seconds and seconds of backward passes of the layers before each layer, per
// micro-batch.
struct LeastWork {
  std::vector<double> device_seconds, seconds, backward;
};

LeastWork least_work(const MixedTask& task) {
  const std::size_t n = task.problem->layers.size();
  const std::vector<double> zeros(n + 1, 0.0);
  LeastWork least{zeros, zeros, zeros};
  for (std::size_t v = 0; v < n; ++v) {
    double work = INFINITY;
    double seconds = INFINITY;
    double backward = INFINITY;
    for (std::size_t k = 0; k < task.configurations.size(); ++k) {
      const double here = task.sums[k]->least(v, v + 1);
      const auto block =
          static_cast<double>(task.problem->configurations[task.configurations[k]].block());
      seconds = std::min(seconds, here);
      work = std::min(work, here * block);
      backward =
          std::min(backward, task.sums[k]->least_backward(v + 1) - task.sums[k]->least_backward(v));
    }
    least.backward[v + 1] = least.backward[v] + backward;
    least.device_seconds[v + 1] = least.device_seconds[v] + work;
    least.seconds[v + 1] = least.seconds[v] + seconds;
  }
  return least;
}

class MixedSearch {
 public:
  MixedSearch(const MixedTask& task, const SearchSettings& settings, double bound)
      : task_(task),
        settings_(settings),
        bound_(bound),
        n_(task.problem->layers.size()),
        devices_(task.problem->network.num_devices()),
        batch_(task.problem->configurations[task.configurations.front()].micro_batches),
        full_(n_ <= kFullLayers && devices_ <= kFullDevices),
        step_((n_ + kMostCutPlaces - 1) / kMostCutPlaces),
        sites_(task),
        least_(least_work(task)) {}

  std::optional<MixedPlan> run() {
    const std::size_t unit = sites_.unit();
    cells_.assign((devices_ / unit + 1) * (n_ + 1), {0, 0});
    for (std::size_t used = unit; used <= devices_; used += unit) {
      for (std::size_t i = n_; i-- > 0;) {
        if (may_begin_at(i)) {
          fill(used, i);
        }
      }
    }
    if (best_ == 0) {
      return std::nullopt;
    }
    return rebuild(best_ - 1);
  }

 private:
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  // One choice of recomputation of a stage, without messages and activations.
  struct Variant {
    bool allowed = false;
    double fixed_bytes = 0.0;
    double saved_bytes = 0.0;
    StageTime time;
  };

  [[nodiscard]] const StrategyConfiguration& shape(std::size_t choice) const {
    return task_.problem->configurations[task_.configurations[sites_.choices()[choice].index]];
  }

  [[nodiscard]] Range& cell(std::size_t used, std::size_t i) {
    return cells_[used / sites_.unit() * (n_ + 1) + i];
  }

  [[nodiscard]] double steady(const MixedLabel& label) const {
    return std::max(label.steady, (sites_.choices()[label.choice].waves - 1.0) * label.load);
  }

  // On long chains stages begin every few layers alone; the first layer is the embedding.
  [[nodiscard]] bool may_begin_at(std::size_t i) const { return i == 0 || (i - 1) % step_ == 0; }

  // What a label costs at least once the layers before `i` stand on the devices that are left.
  [[nodiscard]] double at_least(const MixedLabel& label, std::size_t used, std::size_t i) const {
    if (i == 0) {
      return label.sum + steady(label);
    }
    if (used == devices_) {
      return INFINITY;
    }
    const double crowded = static_cast<double>(batch_) * least_.device_seconds[i] /
                           static_cast<double>(devices_ - used);
    return (label.sum + std::max(least_.seconds[i] + steady(label), crowded)) * (1.0 - 1e-9);
  }

  void fill(std::size_t used, std::size_t i) {
    gathered_.clear();
    for (std::size_t choice = 0; choice < sites_.choices().size(); ++choice) {
      if (sites_.choices()[choice].devices <= used) {
        front_.clear();
        extend(used - sites_.choices()[choice].devices, used, i, choice);
        gathered_.insert(gathered_.end(), front_.begin(), front_.end());
      }
    }
    const std::size_t most = devices_ > kMostUnits ? kFewLabels : kMostLabels;
    if (!full_ && gathered_.size() > most) {
      std::stable_sort(
          gathered_.begin(), gathered_.end(), [&](const MixedLabel& a, const MixedLabel& b) {
            return at_least(a, used, i) < at_least(b, used, i);
          });
      gathered_.resize(most);
    }
    Range& here = cell(used, i);
    here.begin = static_cast<std::uint32_t>(arena_.size());
    arena_.insert(arena_.end(), gathered_.begin(), gathered_.end());
    owners_.resize(arena_.size(), static_cast<std::uint32_t>(used));
    here.end = static_cast<std::uint32_t>(arena_.size());
    for (std::uint32_t k = here.begin; i == 0 && k < here.end; ++k) {
      finish(k, used);
    }
  }

  // All stages of a choice from layer i on devices [begin, used).
  void extend(std::size_t begin, std::size_t used, std::size_t i, std::size_t choice) {
    const MixedChoice& c = sites_.choices()[choice];
    const ChainSums& sums = *task_.sums[c.index];
    const StageSite site{
        task_.problem, &shape(choice), &sums, &sites_.at(begin, choice), task_.zero, c.data, 0.0};
    StagePrice price(site, settings_, i);
    while (price.end() < n_) {
      price.extend();
      const std::size_t j = price.end();
      if (c.waves * sums.least(i, j) >= bound_) {
        break;
      }
      if (begin == 0 ? j < n_ : j == n_ || !may_begin_at(j)) {
        continue;
      }
      const Range rests = begin == 0 ? Range{0, 1} : cell(begin, j);
      if (rests.begin == rests.end) {
        continue;
      }
      const std::array<Variant, kRecomputeChoices> variants = variants_of(price, sums, i, j);
      for (std::uint32_t r = rests.begin; r < rests.end; ++r) {
        join(begin, used, i, j, choice, r, variants);
      }
    }
  }

  [[nodiscard]] std::array<Variant, kRecomputeChoices> variants_of(const StagePrice& price,
                                                                   const ChainSums& sums,
                                                                   std::size_t i,
                                                                   std::size_t j) const {
    std::array<Variant, kRecomputeChoices> variants;
    for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
      if (price.allowed(r)) {
        variants[r] = {true, price.memory(r).total(), sums.saved(r, i, j), price.time(r)};
      }
    }
    return variants;
  }

  void join(std::size_t begin,
            std::size_t used,
            std::size_t i,
            std::size_t j,
            std::size_t choice,
            std::uint32_t r,
            const std::array<Variant, kRecomputeChoices>& variants) {
    const MixedChoice& c = sites_.choices()[choice];
    const bool last = begin == 0;
    const MixedLabel rest = last ? MixedLabel{} : arena_[r];
    MixedLabel label;
    label.degrees = rest.degrees + static_cast<std::uint32_t>(c.data);
    const auto share = static_cast<double>((label.degrees + c.data - 1) / c.data);
    const double flying = std::min(share, c.waves);
    const Variant* found = nullptr;
    for (const Variant& variant : variants) {
      const bool fits = variant.allowed && variant.fixed_bytes + flying * variant.saved_bytes <=
                                               sites_.at(begin, choice).memory_bytes;
      if (fits && (found == nullptr || variant.time.load() < found->time.load())) {
        found = &variant;
      }
    }
    if (found == nullptr) {
      return;
    }
    double message = 0.0;
    if (!last) {
      message = this->message(begin, rest.choice, choice, j);
      const double before = rest.load + message;
      label.steady = std::max(rest.steady, (sites_.choices()[rest.choice].waves - 1.0) * before);
      label.mixed = rest.mixed || rest.choice != choice;
    }
    label.load = found->time.load() + message;
    label.sum = rest.sum + message + label.load;
    // As in the search of equal stages: what stages before hide in any case is one.
    label.exposed = std::max({found->time.sync + found->time.step,
                              rest.exposed - (found->time.backward + found->time.recompute),
                              least_.backward[i] * (1.0 - 1e-9)});
    label.rest = r;
    label.next = static_cast<std::uint16_t>(j);
    label.choice = static_cast<std::uint16_t>(choice);
    label.recompute = static_cast<std::uint8_t>(found - variants.data());
    insert(label, used, i);
  }

  [[nodiscard]] double message(std::size_t at,
                               std::size_t below,
                               std::size_t above,
                               std::size_t layer) {
    const AffineCost link = sites_.link(at, below, above);
    const double bytes = std::max(shape(below).edges[layer - 1].size_bytes,
                                  shape(above).edges[layer - 1].size_bytes);
    return (1.0 - settings_.overlap_transfer) * (link.seconds + bytes * link.seconds_per_byte);
  }

  void insert(const MixedLabel& fresh, std::size_t used, std::size_t i) {
    if (at_least(fresh, used, i) >= bound_) {
      return;
    }
    if (full_) {
      front_.push_back(fresh);
      return;
    }
    for (const MixedLabel& label : front_) {
      if (dominates(label, fresh)) {
        return;
      }
    }
    std::erase_if(front_, [&](const MixedLabel& label) { return dominates(fresh, label); });
    front_.push_back(fresh);
  }

  [[nodiscard]] double tied(std::size_t used, const MixedLabel& label) const {
    const double parameters = shape(label.choice).tied_parameters;
    if (parameters == 0.0 || label.next == n_) {
      return 0.0;
    }
    return (1.0 - settings_.overlap_gradient) *
           reduce_pair(*task_.problem, *task_.collectives, sites_.widest_level(0, used))
               .seconds(task_.problem->memory.gradient_bytes * parameters);
  }

  void finish(std::uint32_t k, std::size_t used) {
    const MixedLabel& label = arena_[k];
    const double sync = label.exposed + tied(used, label);
    double total = label.sum + steady(label) + sync;
    if (!label.mixed || total >= bound_) {
      return;
    }
    if (full_) {
      total = std::max(total, rebuild(k).played_seconds + sync);
    }
    if (total < bound_) {
      bound_ = total;
      best_ = k + 1;
    }
  }

  [[nodiscard]] MixedPlan rebuild(std::uint32_t whole) {
    MixedPlan found;
    ParallelPlan& plan = found.plan;
    std::vector<PipelineStage> pipeline;
    std::uint32_t k = whole;
    const std::size_t total_used = owners_[k];
    double front_message = 0.0;
    std::size_t least_data = batch_;
    for (std::size_t i = 0; i < n_;) {
      const MixedLabel label = arena_[k];
      const MixedChoice& c = sites_.choices()[label.choice];
      const std::size_t begin = owners_[k] - c.devices;
      const StageSite site{
          task_.problem,
          &shape(label.choice),
          task_.sums[c.index],
          &sites_.at(begin, label.choice),
          task_.zero,
          c.data,
          std::min(std::ceil(static_cast<double>(label.degrees) / static_cast<double>(c.data)),
                   c.waves)};
      StagePrice price(site, settings_, i);
      while (price.end() < label.next) {
        price.extend();
      }
      PlanStage stage = price.stage(label.recompute);
      stage.configuration = task_.configurations[c.index];
      for (std::size_t r = 0; r < c.data; ++r) {
        stage.blocks.push_back(sites_.block(begin, label.choice, r));
      }
      const double behind =
          begin == 0 ? 0.0 : message(begin, arena_[label.rest].choice, label.choice, label.next);
      stage.time.transfer = front_message + behind;
      pipeline.push_back({stage.time.forward + 0.5 * stage.time.zero,
                          stage.time.backward + stage.time.recompute + 0.5 * stage.time.zero,
                          behind,
                          c.data,
                          0.0});
      front_message = behind;
      least_data = std::min(least_data, c.data);
      plan.stages.push_back(std::move(stage));
      i = label.next;
      k = label.rest;
    }
    const MixedLabel& first = arena_[whole];
    plan.pipeline_seconds = first.sum + steady(first);
    plan.sync_seconds = first.exposed + tied(total_used, first);
    plan.seconds_per_batch = plan.pipeline_seconds + plan.sync_seconds;
    plan.data = static_cast<std::uint32_t>(plan.stages.front().replicas());
    plan.micro_batches = static_cast<std::uint32_t>((batch_ + least_data - 1) / least_data);
    plan.configuration = plan.stages.front().configuration;
    found.played_seconds = play_pipeline(pipeline, batch_, 1).seconds;
    return found;
  }

  const MixedTask& task_;
  const SearchSettings& settings_;
  double bound_;
  std::size_t n_;
  std::size_t devices_;
  std::size_t batch_;
  bool full_;
  std::size_t step_;
  MixedSites sites_;
  LeastWork least_;
  std::vector<MixedLabel> arena_;
  std::vector<std::uint32_t> owners_;  // [label] devices used
  std::vector<MixedLabel> front_, gathered_;
  std::vector<Range> cells_;  // [devices used][first layer]
  std::uint32_t best_ = 0;    // label + 1
};

}  // namespace

double mixed_bound(const MixedTask& task) {
  const StrategyConfiguration& c = task.problem->configurations[task.configurations.front()];
  return static_cast<double>(c.micro_batches) * least_work(task).device_seconds.back() /
         static_cast<double>(task.problem->network.num_devices()) * (1.0 - 1e-9);
}

std::optional<MixedPlan> search_mixed(const MixedTask& task,
                                      const SearchSettings& settings,
                                      double bound) {
  return MixedSearch(task, settings, bound).run();
}

}  // namespace berth::nest
