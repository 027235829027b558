// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::checkpoints {

/// The newest format that this library writes and reads; see SCHEMA.md.
inline constexpr std::uint32_t kFormatVersion = 1;

/// What an entry of the state is made of. Exactly one of the vectors of Entry is in use.
enum class EntryType : std::uint8_t { kFloat32, kFloat64, kUint64, kText };

/// "float32", "float64", "uint64", "text".
[[nodiscard]] std::string_view name_of(EntryType type) noexcept;

/// One named tensor or text.
struct Entry {
  EntryType type = EntryType::kFloat32;
  std::vector<std::int64_t> shape;  ///< Empty for a scalar and for text.
  std::vector<float> float32;
  std::vector<double> float64;
  std::vector<std::uint64_t> uint64;
  std::string text;

  bool operator==(const Entry&) const = default;
};

/// Everything saved, by path ("policy/sel/encoder/weight").
using State = std::map<std::string, Entry>;

/// Root attributes: where a checkpoint comes from and what it fits.
struct Header {
  std::uint32_t format_version = kFormatVersion;
  std::string plugin;  ///< Library that offers the policy.
  std::string plugin_version;
  std::string policy;                          ///< Algorithm name, as a user types it.
  std::uint64_t seed = 0;                      ///< The run's seed.
  std::uint64_t update = 0;                    ///< Optimiser updates done.
  std::string config;                          ///< Effective configuration, JSON.
  std::vector<std::uint64_t> graph_hashes;     ///< One per problem.
  std::vector<std::uint64_t> topology_hashes;  ///< One per problem.

  bool operator==(const Header&) const = default;
};

/// A whole checkpoint as a value.
struct Checkpoint {
  Header header;
  State state;

  bool operator==(const Checkpoint&) const = default;
};

/// What differs between two checkpoints, one line each; empty when they are equal. Floats are
/// compared by their bits.
[[nodiscard]] std::vector<std::string> differences(const Checkpoint& a, const Checkpoint& b);

}  // namespace berth::checkpoints
