// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/cluster.hpp"
#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// The free accelerators of a cluster during one decision; finds gangs that fit and takes them.
/// The cluster must outlive the ledger.
class BERTH_API GpuLedger {
 public:
  explicit GpuLedger(const Cluster& cluster);

  /// Everything free again; keeps the memory.
  void reset();

  [[nodiscard]] std::uint32_t free(GpuTypeId type) const { return free_of_type_[index(type)]; }
  [[nodiscard]] std::uint32_t free_in_pool(std::size_t pool) const { return free_of_pool_[pool]; }
  [[nodiscard]] bool is_free(GpuId gpu) const { return free_[index(gpu)] != 0; }
  [[nodiscard]] bool all_free(std::span<const GpuId> gpus) const;

  /// Takes these accelerators. @pre all free
  void take(std::span<const GpuId> gpus);
  /// Gives them back. @pre all taken
  void give_back(std::span<const GpuId> gpus);

  /// Takes `counts[type]` accelerators of every type: on one machine where one can hold them all
  /// (the one with the fewest left over), else filling the machines with most free ones first, so
  /// that few are used. Ties by machine. Accelerators come back ascending; empty if they are not
  /// there. Cost O(pools) per machine used.
  [[nodiscard]] std::vector<GpuId> take(std::span<const std::uint32_t> counts);

  /// Whether take(counts) would find one machine for the whole gang.
  [[nodiscard]] bool fits_one_machine(std::span<const std::uint32_t> counts) const;

 private:
  [[nodiscard]] std::size_t best_single_machine(std::span<const std::uint32_t> counts) const;
  void take_from_pool(std::size_t pool, std::uint32_t count, std::vector<GpuId>& out);

  const Cluster* cluster_;
  std::vector<std::uint8_t> free_;           // [num_gpus]
  std::vector<std::uint32_t> free_of_pool_;  // [num_pools]
  std::vector<std::uint32_t> free_of_type_;  // [num_types]
  std::vector<std::uint32_t> pool_at_;       // [num_machines * num_types], num_pools: none
};

/// Whether all of these accelerators sit in one machine.
[[nodiscard]] BERTH_API bool on_one_machine(const Cluster& cluster, std::span<const GpuId> gpus);

/// counts[type] of a set of accelerators. @param counts [num_types], overwritten.
BERTH_API void count_types(const Cluster& cluster,
                           std::span<const GpuId> gpus,
                           std::span<std::uint32_t> counts);

}  // namespace abi_v1
}  // namespace berth
