// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "berth/export.hpp"
#include "berth/ids.hpp"

namespace berth {
inline namespace abi_v1 {

/// Position of an accelerator type in its cluster, in file order.
enum class GpuTypeId : std::uint32_t {};
/// Position of a machine in its cluster, in file order.
enum class MachineId : std::uint32_t {};
/// One accelerator; counted type by type and, inside a type, machine by machine.
enum class GpuId : std::uint32_t {};

/// A machine as it is declared: how many accelerators of each type it holds.
struct Machine {
  std::string name;
  std::vector<std::uint32_t> gpus;  ///< [num_types].

  bool operator==(const Machine&) const = default;
};

/// The accelerators of one type in one machine: the ids first .. first+count-1.
struct GpuPool {
  MachineId machine{};
  GpuTypeId type{};
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  bool operator==(const GpuPool&) const = default;
};

/// Machines with accelerators of several types. Immutable.
class BERTH_API Cluster {
 public:
  /// @throws InputError naming the machine or type: no types, no machines, a duplicate name, a
  /// machine whose counts do not cover the types, a type without any accelerator.
  Cluster(std::vector<std::string> types, std::vector<Machine> machines);

  [[nodiscard]] std::size_t num_types() const noexcept { return types_.size(); }
  [[nodiscard]] std::size_t num_machines() const noexcept { return machines_.size(); }
  [[nodiscard]] std::size_t num_gpus() const noexcept { return pool_of_.size(); }
  [[nodiscard]] const std::string& type_name(GpuTypeId type) const { return types_[index(type)]; }
  [[nodiscard]] std::span<const std::string> type_names() const noexcept { return types_; }
  [[nodiscard]] const Machine& machine(MachineId machine) const {
    return machines_[index(machine)];
  }

  /// Pools by type, then machine; only those with accelerators.
  [[nodiscard]] std::span<const GpuPool> pools() const noexcept { return pools_; }
  /// The pool that an accelerator belongs to, as a position in pools().
  [[nodiscard]] std::size_t pool_of(GpuId gpu) const { return pool_of_[index(gpu)]; }
  [[nodiscard]] GpuTypeId type_of(GpuId gpu) const { return pools_[pool_of(gpu)].type; }
  [[nodiscard]] MachineId machine_of(GpuId gpu) const { return pools_[pool_of(gpu)].machine; }

  /// Accelerators of a type in the whole cluster.
  [[nodiscard]] std::uint32_t capacity(GpuTypeId type) const { return capacity_[index(type)]; }
  /// The most accelerators, of all types together, that one machine holds.
  [[nodiscard]] std::uint32_t largest_machine() const noexcept { return largest_machine_; }
  /// The most accelerators of a type that one machine holds.
  [[nodiscard]] std::uint32_t largest_pool(GpuTypeId type) const {
    return largest_pool_[index(type)];
  }

 private:
  std::vector<std::string> types_;
  std::vector<Machine> machines_;
  std::vector<GpuPool> pools_;
  std::vector<std::uint32_t> pool_of_;       // [num_gpus]
  std::vector<std::uint32_t> capacity_;      // [num_types]
  std::vector<std::uint32_t> largest_pool_;  // [num_types]
  std::uint32_t largest_machine_ = 0;
};

}  // namespace abi_v1
}  // namespace berth
