// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/gpu_ledger.hpp"

#include <algorithm>
#include <numeric>

#include "berth/error.hpp"

namespace berth {
inline namespace abi_v1 {

GpuLedger::GpuLedger(const Cluster& cluster) : cluster_(&cluster) {
  pool_at_.assign(cluster.num_machines() * cluster.num_types(),
                  static_cast<std::uint32_t>(cluster.pools().size()));
  for (std::size_t p = 0; p < cluster.pools().size(); ++p) {
    const GpuPool& pool = cluster.pools()[p];
    pool_at_[index(pool.machine) * cluster.num_types() + index(pool.type)] =
        static_cast<std::uint32_t>(p);
  }
  reset();
}

void GpuLedger::reset() {
  free_.assign(cluster_->num_gpus(), 1);
  free_of_pool_.clear();
  free_of_type_.assign(cluster_->num_types(), 0);
  for (const GpuPool& pool : cluster_->pools()) {
    free_of_pool_.push_back(pool.count);
    free_of_type_[index(pool.type)] += pool.count;
  }
}

bool GpuLedger::all_free(std::span<const GpuId> gpus) const {
  return std::all_of(gpus.begin(), gpus.end(), [this](GpuId gpu) { return is_free(gpu); });
}

void GpuLedger::take(std::span<const GpuId> gpus) {
  for (const GpuId gpu : gpus) {
    BERTH_DCHECK(is_free(gpu), "accelerator is free");
    free_[index(gpu)] = 0;
    --free_of_pool_[cluster_->pool_of(gpu)];
    --free_of_type_[index(cluster_->type_of(gpu))];
  }
}

void GpuLedger::give_back(std::span<const GpuId> gpus) {
  for (const GpuId gpu : gpus) {
    BERTH_DCHECK(!is_free(gpu), "accelerator is taken");
    free_[index(gpu)] = 1;
    ++free_of_pool_[cluster_->pool_of(gpu)];
    ++free_of_type_[index(cluster_->type_of(gpu))];
  }
}

std::size_t GpuLedger::best_single_machine(std::span<const std::uint32_t> counts) const {
  const std::size_t types = cluster_->num_types();
  std::size_t best = cluster_->num_machines();
  std::uint32_t best_left = 0;
  for (std::size_t m = 0; m < cluster_->num_machines(); ++m) {
    bool fits = true;
    std::uint32_t left = 0;
    for (std::size_t t = 0; fits && t < types; ++t) {
      const std::size_t pool = pool_at_[m * types + t];
      const std::uint32_t have = pool < free_of_pool_.size() ? free_of_pool_[pool] : 0;
      fits = have >= counts[t];
      left += have - (fits ? counts[t] : 0);
    }
    if (fits && (best == cluster_->num_machines() || left < best_left)) {
      best = m;
      best_left = left;
    }
  }
  return best;
}

bool GpuLedger::fits_one_machine(std::span<const std::uint32_t> counts) const {
  return best_single_machine(counts) < cluster_->num_machines();
}

void GpuLedger::take_from_pool(std::size_t p, std::uint32_t count, std::vector<GpuId>& out) {
  const GpuPool& pool = cluster_->pools()[p];
  for (std::uint32_t i = pool.first; count > 0 && i < pool.first + pool.count; ++i) {
    if (free_[i] != 0) {
      out.push_back(to_id<GpuId>(i));
      --count;
    }
  }
}

std::vector<GpuId> GpuLedger::take(std::span<const std::uint32_t> counts) {
  std::vector<GpuId> gpus;
  for (std::size_t t = 0; t < counts.size(); ++t) {
    if (free_of_type_[t] < counts[t]) {
      return gpus;
    }
  }
  const std::size_t machine = best_single_machine(counts);
  for (std::size_t t = 0; t < counts.size(); ++t) {
    if (counts[t] == 0) {
      continue;
    }
    if (machine < cluster_->num_machines()) {
      take_from_pool(pool_at_[machine * cluster_->num_types() + t], counts[t], gpus);
      continue;
    }
    std::vector<std::size_t> pools;
    for (std::size_t p = 0; p < free_of_pool_.size(); ++p) {
      if (index(cluster_->pools()[p].type) == t && free_of_pool_[p] > 0) {
        pools.push_back(p);
      }
    }
    std::stable_sort(pools.begin(), pools.end(), [this](std::size_t a, std::size_t b) {
      return free_of_pool_[a] > free_of_pool_[b];
    });
    std::uint32_t left = counts[t];
    for (const std::size_t p : pools) {
      const std::uint32_t here = std::min(left, free_of_pool_[p]);
      take_from_pool(p, here, gpus);
      left -= here;
    }
  }
  std::sort(gpus.begin(), gpus.end());
  take(gpus);
  return gpus;
}

bool on_one_machine(const Cluster& cluster, std::span<const GpuId> gpus) {
  return std::all_of(gpus.begin(), gpus.end(), [&](GpuId gpu) {
    return cluster.machine_of(gpu) == cluster.machine_of(gpus.front());
  });
}

void count_types(const Cluster& cluster,
                 std::span<const GpuId> gpus,
                 std::span<std::uint32_t> counts) {
  std::fill(counts.begin(), counts.end(), 0U);
  for (const GpuId gpu : gpus) {
    ++counts[index(cluster.type_of(gpu))];
  }
}

}  // namespace abi_v1
}  // namespace berth
