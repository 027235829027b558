// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "alpa_stages.hpp"

#include <algorithm>
#include <cmath>

#include "flat_network.hpp"

namespace berth::planners {
namespace {

constexpr std::size_t kMostUnits = 64;

double ring_seconds(const NetworkLevel& link, double ranks, double bytes) {
  return ranks <= 1.0
             ? 0.0
             : 2.0 * (ranks - 1.0) *
                   (link.latency_seconds + bytes / (ranks * link.bandwidth_bytes_per_second));
}

}  // namespace

AlpaStages::AlpaStages(const StrategyProblem& problem,
                       const std::vector<std::uint32_t>& configurations,
                       std::uint32_t most_groups,
                       std::uint32_t zero,
                       double memory)
    : problem_(problem),
      configurations_(configurations),
      zero_(zero),
      memory_bytes_(INFINITY),
      waves_(problem.configurations[configurations.front()].micro_batches),
      flat_(flat_network(problem.network)),
      unit_((problem.network.num_devices() + kMostUnits - 1) / kMostUnits) {
  for (const DeviceClass& device : problem.classes) {
    memory_bytes_ = std::min(memory_bytes_, memory * device.memory_bytes);
  }
  cluster(most_groups);
  for (std::size_t mesh = 1; mesh * unit_ <= problem.network.num_devices(); mesh *= 2) {
    meshes_.push_back(mesh);
  }
  options_.resize((groups() + 1) * (groups() + 1) * meshes_.size() * (groups() + 1));
  auto* next = options_.data();
  for (std::size_t i = 0; i <= groups(); ++i) {
    for (std::size_t j = 0; j <= groups(); ++j) {
      for (std::size_t mesh = 0; mesh < meshes_.size(); ++mesh) {
        for (std::size_t s = 0; s <= groups(); ++s, ++next) {
          next->seconds = INFINITY;
          if (i < j && s > 0) {
            *next = price(i, j, mesh, s);
          }
        }
      }
    }
  }
}

// Runs of layers, each closed once the compute so far reaches its share of the whole.
void AlpaStages::cluster(std::uint32_t most_groups) {
  const StrategyConfiguration& c = problem_.configurations[configurations_.front()];
  const std::size_t layers = problem_.layers.size();
  const auto groups = std::min<std::size_t>(most_groups, layers);
  double whole = 0.0;
  const auto compute = [&](std::size_t v) {
    const LayerCost& cost = problem_.cost(c, 0, v);
    return cost.forward_seconds + cost.backward_seconds;
  };
  for (std::size_t v = 0; v < layers; ++v) {
    whole += compute(v);
  }
  starts_ = {0};
  double sum = 0.0;
  for (std::size_t v = 0; v + 1 < layers; ++v) {
    sum += compute(v);
    const std::size_t closed = starts_.size();
    const std::size_t left = layers - 1 - v;  // layers behind v
    const bool full = sum * static_cast<double>(groups) >= whole * static_cast<double>(closed);
    const bool needed = left == groups - closed;  // one layer for each group that is left
    if (closed < groups && (full || needed)) {
      starts_.push_back(static_cast<std::uint32_t>(v + 1));
    }
  }
  starts_.push_back(static_cast<std::uint32_t>(layers));
}

AlpaStages::Option AlpaStages::price(std::size_t i,
                                     std::size_t j,
                                     std::size_t mesh,
                                     std::size_t s) const {
  Option best;
  best.seconds = INFINITY;
  for (const std::uint32_t configuration : configurations_) {
    price_with(configuration, i, j, mesh, s, best);
  }
  return best;
}

void AlpaStages::price_with(std::uint32_t configuration,
                            std::size_t i,
                            std::size_t j,
                            std::size_t mesh,
                            std::size_t s,
                            Option& best) const {
  const StrategyConfiguration& c = problem_.configurations[configuration];
  const std::size_t devices = meshes_[mesh] * unit_;
  if (devices % c.block() != 0 || devices / c.block() > c.micro_batches) {
    return;
  }
  const double replicas = static_cast<double>(devices) / static_cast<double>(c.block());
  const MemoryRules& rules = problem_.memory;
  double compute = 0.0;
  double dense = 0.0;
  double expert = 0.0;
  std::array<double, kRecomputeChoices> again{};
  std::array<double, kRecomputeChoices> saved{};
  std::array<double, kRecomputeChoices> work{};
  for (std::size_t v = starts_[i]; v < starts_[j]; ++v) {
    const LayerCost& cost = problem_.cost(c, 0, v);
    compute += cost.forward_seconds + cost.backward_seconds;
    dense += cost.dense_parameters;
    expert += cost.expert_parameters;
    for (std::size_t r = 0; r < kRecomputeChoices; ++r) {
      again[r] += cost.recompute_seconds[r];
      saved[r] += cost.saved_bytes[r];
      work[r] = std::max(work[r], cost.work_bytes[r]);
    }
  }
  const double shard = dense / (replicas * c.expert) + expert / replicas;
  const double all = dense + expert;
  const double state = rules.weight_bytes * (zero_ == 3 ? shard : all) +
                       rules.gradient_bytes * (zero_ >= 2 ? shard : all) +
                       rules.optimizer_bytes * (zero_ >= 1 ? shard : all) + rules.reserve_bytes;
  // ZeRO-2 and 3 communicate per micro-batch, the others once per batch.
  const double ring = ring_seconds(flat_.level(0), replicas * c.expert, rules.gradient_bytes * all);
  const double gradients = zero_ == 3 ? 1.5 * ring : zero_ == 2 ? ring : ring / waves_;
  for (std::size_t r = 0; r < (problem_.recompute_allowed ? kRecomputeChoices : 1); ++r) {
    const double bytes = state + static_cast<double>(s) * saved[r] + work[r];
    if (bytes > memory_bytes_) {
      continue;
    }
    const double seconds =
        (compute + again[r]) / replicas + (zero_ >= 2 ? gradients / replicas : gradients);
    if (seconds < best.seconds) {
      best = {
          seconds, configuration, static_cast<std::uint32_t>(replicas), static_cast<Recompute>(r)};
    }
    break;  // computing more again only takes longer
  }
}

std::optional<Estimate> AlpaStages::search(double bound, double step) const {
  // Work of all groups, each on its thriftiest mesh, spread over all devices: no slowest stage
  // takes less.
  double least = 0.0;
  double longest = 0.0;
  for (std::size_t i = 0; i < groups(); ++i) {
    double thriftiest = INFINITY;
    for (std::size_t mesh = 0; mesh < meshes_.size(); ++mesh) {
      thriftiest =
          std::min(thriftiest, at(i, i + 1, mesh, 1).seconds * static_cast<double>(meshes_[mesh]));
    }
    least += thriftiest;
  }
  for (const Option& option : options_) {
    longest = std::isfinite(option.seconds) ? std::max(longest, option.seconds) : longest;
  }
  if (!std::isfinite(least)) {
    return std::nullopt;  // a group fits nowhere
  }
  std::optional<Estimate> best;
  const double units = static_cast<double>(problem_.network.num_devices() / unit_);
  double most = waves_ > 1.0 ? least / units : longest;
  for (bool last = false; !last && (waves_ - 1.0) * most < bound; most *= step) {
    last = most >= longest;
    auto found = within(most);
    if (found && found->seconds < bound) {
      bound = found->seconds;
      best = std::move(found);
    }
  }
  return best;
}

std::optional<Estimate> AlpaStages::within(double most) const {
  struct Cell {
    double sum = INFINITY;
    double slowest = 0.0;
    std::uint32_t next = 0;
    std::uint32_t mesh = 0;
  };
  const std::size_t units = problem_.network.num_devices() / unit_;
  const std::size_t n = groups();
  std::vector<Cell> cells((n + 1) * (n + 1) * (units + 1));
  const auto cell = [&](std::size_t s, std::size_t i, std::size_t k) -> Cell& {
    return cells[(s * (n + 1) + i) * (units + 1) + k];
  };
  cell(0, n, 0).sum = 0.0;
  for (std::size_t s = 1; s <= n; ++s) {
    for (std::size_t j = 1; j <= n; ++j) {
      for (std::size_t used = 0; used < units; ++used) {
        const Cell& rest = cell(s - 1, j, used);
        if (std::isinf(rest.sum)) {
          continue;
        }
        for (std::size_t i = 0; i < j; ++i) {
          for (std::size_t mesh = 0; mesh < meshes_.size(); ++mesh) {
            const double seconds = at(i, j, mesh, s).seconds;
            const std::size_t k = used + meshes_[mesh];
            if (seconds > most || k > units) {
              continue;
            }
            Cell& here = cell(s, i, k);
            if (rest.sum + seconds < here.sum) {
              here = {rest.sum + seconds,
                      std::max(rest.slowest, seconds),
                      static_cast<std::uint32_t>(j),
                      static_cast<std::uint32_t>(mesh)};
            }
          }
        }
      }
    }
  }
  std::optional<Estimate> best;
  for (std::size_t s = 1; s <= n; ++s) {
    for (std::size_t k = 1; k <= units; ++k) {
      const Cell& whole = cell(s, 0, k);
      const double total = whole.sum + (waves_ - 1.0) * whole.slowest;
      if (std::isinf(whole.sum) || (best && total >= best->seconds)) {
        continue;
      }
      best = Estimate{};
      best->seconds = total;
      best->choice.zero = zero_;
      std::size_t i = 0;
      std::size_t left = k;
      for (std::size_t position = s; position > 0; --position) {
        const Cell& here = cell(position, i, left);
        const Option& option = at(i, here.next, here.mesh, position);
        best->choice.stages.push_back({starts_[here.next] - starts_[i],
                                       option.configuration,
                                       option.replicas,
                                       option.recompute});
        i = here.next;
        left -= meshes_[here.mesh];
      }
    }
  }
  return best;
}

}  // namespace berth::planners
