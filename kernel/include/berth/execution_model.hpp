// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// What a transfer costs and what it occupies.
enum class ExecutionModel : std::uint8_t {
  /// Classical macro-dataflow model: a transfer is a pure delay from the end of its producer,
  /// links never contend, a device runs one op at a time.
  kDelay,
  /// kDelay with the event order of the public DOPPLER simulator among simultaneous events.
  kDopplerReference,
  /// Every link and copy engine (one out of and one into each device) serves one transfer at a
  /// time, first come first served by (request time, producer id, destination id); a transfer holds
  /// its whole route for its whole duration. One for each (producer, destination device), as long
  /// as the longest of its edges there.
  kLinks,
  /// Concurrent transfers share the bandwidth of a link max-min fairly, each after its latency; one
  /// for each (producer, destination device). No copy engines.
  kFair,
  /// The destination device itself copies: a transfer waits for a free stream there, goes before
  /// waiting ops, and holds the stream for its whole duration, one for each (producer, destination
  /// device). Links never contend. What plugins/executors/cpu does on a host's own memory.
  kPull,
};

/// Which waiting op an idle device starts.
enum class Discipline : std::uint8_t {
  kAuto,         ///< kStaticOrder for a placement that carries an order, kFifo otherwise.
  kFifo,         ///< Least (ready time, op id).
  kPriority,     ///< Least (order value, ready time, op id) among the ready.
  kStaticOrder,  ///< The device's ops in ascending (order value, op id); it waits for the next.
};

/// Beyond this sigma, factors leave the range of float within six standard deviations.
inline constexpr double kMostNoise = 5.0;

struct ExecutionOptions {
  ExecutionModel model = ExecutionModel::kDelay;
  Discipline discipline = Discipline::kAuto;
  std::uint32_t streams = 1;     ///< Ops a device runs at once, each at full speed, >= 1.
  double compute_noise = 0.0;    ///< Sigma of a log-normal factor of mean 1 on each op, 0 to 5.
  double transfer_noise = 0.0;   ///< The same on each transfer.
  std::uint64_t noise_seed = 0;  ///< Factors depend on (seed, op) and (seed, edge) alone.

  bool operator==(const ExecutionOptions&) const = default;
};

/// "delay", "doppler-reference", "links", "fair", "pull".
[[nodiscard]] BERTH_API std::string_view name_of(ExecutionModel model) noexcept;
/// "auto", "fifo", "priority", "static-order".
[[nodiscard]] BERTH_API std::string_view name_of(Discipline discipline) noexcept;
/// @throws InputError naming the nearest name.
[[nodiscard]] BERTH_API ExecutionModel parse_execution_model(std::string_view name);
[[nodiscard]] BERTH_API Discipline parse_discipline(std::string_view name);

}  // namespace abi_v1
}  // namespace berth
