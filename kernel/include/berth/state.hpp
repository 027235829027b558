// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/export.hpp"

namespace berth {
inline namespace abi_v1 {

/// Receives the named state of a policy. Names are paths such as "sel/encoder/weight", unique
/// within one save.
class BERTH_API StateWriter {
 public:
  StateWriter() = default;
  StateWriter(const StateWriter&) = delete;
  StateWriter& operator=(const StateWriter&) = delete;
  virtual ~StateWriter();

  /// `values.size()` is the product of `shape`; an empty shape is a scalar.
  virtual void tensor(std::string_view name,
                      std::span<const std::int64_t> shape,
                      std::span<const float> values) = 0;
  virtual void tensor(std::string_view name,
                      std::span<const std::int64_t> shape,
                      std::span<const double> values) = 0;
  virtual void tensor(std::string_view name,
                      std::span<const std::int64_t> shape,
                      std::span<const std::uint64_t> values) = 0;
  virtual void text(std::string_view name, std::string_view value) = 0;
};

/// Gives back what a StateWriter received. Every getter throws CheckpointError naming an entry
/// that is absent, has another type, or another shape than `shape`.
class BERTH_API StateReader {
 public:
  StateReader() = default;
  StateReader(const StateReader&) = delete;
  StateReader& operator=(const StateReader&) = delete;
  virtual ~StateReader();

  [[nodiscard]] virtual bool has(std::string_view name) const = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> shape(std::string_view name) const = 0;
  virtual void tensor(std::string_view name,
                      std::span<const std::int64_t> shape,
                      std::span<float> values) const = 0;
  virtual void tensor(std::string_view name,
                      std::span<const std::int64_t> shape,
                      std::span<double> values) const = 0;
  virtual void tensor(std::string_view name,
                      std::span<const std::int64_t> shape,
                      std::span<std::uint64_t> values) const = 0;
  [[nodiscard]] virtual std::string text(std::string_view name) const = 0;
};

}  // namespace abi_v1
}  // namespace berth
