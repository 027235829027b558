// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/export.hpp"
#include "berth/ids.hpp"

namespace berth {
inline namespace abi_v1 {

/// What the numbers of a graph mean.
enum class CostBasis : std::uint8_t {
  /// `work` is a duration and an edge's `size` a transfer time, both in the file's own time units
  /// (`seconds_per_unit`), on the fastest device and the fastest link of the topology.
  kTime,
  /// `work` is floating-point operations, an edge's `size` is bytes; times come from the topology.
  kPhysical,
};

/// One operation, as given to GraphBuilder.
struct OpSpec {
  std::string name;            ///< A label, need not be unique; empty means "op<id>".
  std::string kind;            ///< For example "einsummable", "formation"; empty means "unknown".
  std::string kernel;          ///< What it computes (op_kernel.hpp), or empty.
  double work = 0.0;           ///< Time units (kTime) or flops (kPhysical), >= 0.
  double output_bytes = 0.0;   ///< Size of the result, >= 0; 0 where the file does not say.
  double touched_bytes = 0.0;  ///< Bytes read and written (kPhysical roofline), >= 0.
  double memory_bytes = 0.0;   ///< Resident on the op's device for the whole run, >= 0.
  /// [num_devices] duration on each device in time units, overriding `work`; empty: `work` holds.
  std::vector<double> device_time;
  /// Devices that may run the op; empty: all.
  std::vector<DeviceId> eligible;
};

/// An immutable directed acyclic graph in compressed rows, by successor and by predecessor.
/// Copies share storage. All spans live as long as any copy.
class BERTH_API Graph {
 public:
  Graph();  ///< The empty graph.

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] std::size_t num_ops() const noexcept;
  [[nodiscard]] std::size_t num_edges() const noexcept;
  [[nodiscard]] CostBasis cost_basis() const noexcept;
  /// Seconds in one time unit of a kTime graph; 1 for a kPhysical graph.
  [[nodiscard]] double seconds_per_unit() const noexcept;

  [[nodiscard]] std::string op_name(OpId op) const;
  [[nodiscard]] const std::string& kind(OpId op) const noexcept;
  [[nodiscard]] std::span<const std::string> kinds() const noexcept;      ///< Distinct, in order.
  [[nodiscard]] std::span<const std::uint16_t> kind_of() const noexcept;  ///< [num_ops] in kinds().
  /// What real executors run for `op`: text of op_kernel.hpp, or empty.
  [[nodiscard]] const std::string& kernel(OpId op) const noexcept;
  /// By which rates of a device `op` is priced: its kernel's function, else its kind.
  [[nodiscard]] std::string_view rate_name(OpId op) const noexcept;
  /// The kernel without its operands, factors and numbers to add, its ranges by their lengths:
  /// "contract n8 s128 t256 / d64", "complex-multiply t4 c3 =2". A device's rates for it go before
  /// those for the function. Empty without a kernel.
  [[nodiscard]] std::string rate_shape(OpId op) const;

  [[nodiscard]] std::span<const double> work() const noexcept;           ///< [num_ops]
  [[nodiscard]] std::span<const double> output_bytes() const noexcept;   ///< [num_ops]
  [[nodiscard]] std::span<const double> touched_bytes() const noexcept;  ///< [num_ops]
  [[nodiscard]] std::span<const double> memory_bytes() const noexcept;   ///< [num_ops]

  /// Devices of the per-device time table; 0 where the graph has none.
  [[nodiscard]] std::size_t table_devices() const noexcept;
  /// [num_ops * table_devices] time units; +infinity where a device cannot run the op.
  [[nodiscard]] std::span<const double> device_time() const noexcept;
  /// Devices that may run `op`; empty: all.
  [[nodiscard]] std::span<const DeviceId> eligible(OpId op) const noexcept;
  [[nodiscard]] bool has_eligibility() const noexcept;

  /// Outgoing rows: edge e of op v is out_offsets()[v] <= e < out_offsets()[v+1], in file order.
  [[nodiscard]] std::span<const std::uint64_t> out_offsets() const noexcept;  ///< [num_ops+1]
  [[nodiscard]] std::span<const OpId> out_targets() const noexcept;           ///< [num_edges]
  [[nodiscard]] std::span<const double> edge_size() const noexcept;           ///< [num_edges]
  /// Incoming rows, predecessors by ascending edge id.
  [[nodiscard]] std::span<const std::uint64_t> in_offsets() const noexcept;  ///< [num_ops+1]
  [[nodiscard]] std::span<const OpId> in_sources() const noexcept;           ///< [num_edges]
  [[nodiscard]] std::span<const EdgeId> in_edges() const noexcept;           ///< [num_edges]

  [[nodiscard]] std::span<const OpId> successors(OpId op) const noexcept;
  [[nodiscard]] std::span<const OpId> predecessors(OpId op) const noexcept;

  /// Kahn's order with a first-in-first-out queue: sources by id, then successors in edge order.
  [[nodiscard]] std::span<const OpId> topological_order() const noexcept;

  /// 64-bit hash of structure, costs, kinds and eligibility; names and kernels do not count.
  [[nodiscard]] std::uint64_t hash() const noexcept;

 private:
  friend class GraphBuilder;
  struct Storage;
  std::shared_ptr<const Storage> storage_;
};

/// Collects operations and edges, then freezes them into a Graph.
class BERTH_API GraphBuilder {
 public:
  explicit GraphBuilder(std::string name = {});
  ~GraphBuilder();
  GraphBuilder(GraphBuilder&&) noexcept;
  GraphBuilder& operator=(GraphBuilder&&) noexcept;
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  /// Renames the graph: for readers that learn its name late.
  GraphBuilder& name(std::string name);

  /// @throws InputError unless seconds_per_unit is finite and > 0.
  GraphBuilder& cost_basis(CostBasis basis, double seconds_per_unit = 1.0);

  /// @throws InputError naming the op and the field: negative, NaN or infinite numbers; a
  ///         device_time that is not one value per device; no eligible device. A device_time of
  ///         +infinity marks a device that cannot run the op.
  OpId add_op(OpSpec spec);

  /// A dependency: `to` needs the output of `from`. Parallel edges merge, sizes add up.
  /// @throws InputError on an unknown id, a self-loop, or a bad size.
  GraphBuilder& add_edge(OpId from, OpId to, double size);

  [[nodiscard]] std::size_t num_ops() const noexcept;

  /// @throws InputError naming the ops of one cycle if there is any. Cost O(ops + edges).
  [[nodiscard]] Graph freeze();

  /// What was mended on the way, one line a kind ("3 parallel edges merged, first: a -> b").
  [[nodiscard]] std::span<const std::string> warnings() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace abi_v1
}  // namespace berth
