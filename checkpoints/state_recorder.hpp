// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "berth/state.hpp"

#include "checkpoint.hpp"

namespace berth::checkpoints {

/// Records what an object saves into a State, under a prefix ("policy/").
class StateRecorder final : public StateWriter {
 public:
  /// `state` must outlive the recorder.
  StateRecorder(State& state, std::string prefix);

  /// All four throw PluginError for a name that is not a path of non-empty parts, a name used
  /// twice, a negative dimension, or values that do not fill the shape.
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<const float> values) override;
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<const double> values) override;
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<const std::uint64_t> values) override;
  void text(std::string_view name, std::string_view value) override;

 private:
  Entry& add(std::string_view name, std::span<const std::int64_t> shape, std::size_t count);

  State* state_;
  std::string prefix_;
};

/// Gives back what a StateRecorder recorded under the same prefix.
class StateReplay final : public StateReader {
 public:
  /// `state` must outlive the object. `origin` (a file name) starts every error message.
  StateReplay(const State& state, std::string prefix, std::string origin);

  [[nodiscard]] bool has(std::string_view name) const override;
  [[nodiscard]] std::vector<std::int64_t> shape(std::string_view name) const override;
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<float> values) const override;
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<double> values) const override;
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<std::uint64_t> values) const override;
  [[nodiscard]] std::string text(std::string_view name) const override;

 private:
  [[nodiscard]] const Entry& entry(std::string_view name) const;
  [[nodiscard]] const Entry& typed(std::string_view name, EntryType type) const;
  template <class Value>
  void copy(std::string_view name,
            std::span<const std::int64_t> shape,
            const Entry& from,
            const std::vector<Value>& values,
            std::span<Value> out) const;

  const State* state_;
  std::string prefix_;
  std::string origin_;
};

}  // namespace berth::checkpoints
