// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "berth/error.hpp"
#include "berth/state.hpp"

namespace berth::doppler {

/// A checkpoint in memory: keeps all values as double, which holds float and small integers.
class RecordedState final : public StateWriter, public StateReader {
 public:
  struct Entry {
    std::vector<std::int64_t> shape;
    std::vector<double> values;
    bool operator==(const Entry&) const = default;
  };

  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<const float> values) override {
    put(name, shape, values);
  }
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<const double> values) override {
    put(name, shape, values);
  }
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<const std::uint64_t> values) override {
    put(name, shape, values);
  }
  void text(std::string_view /*name*/, std::string_view /*value*/) override {}

  [[nodiscard]] bool has(std::string_view name) const override {
    return entries.count(std::string(name)) > 0;
  }
  [[nodiscard]] std::vector<std::int64_t> shape(std::string_view name) const override {
    return get(name).shape;
  }
  void tensor(std::string_view name,
              std::span<const std::int64_t> /*shape*/,
              std::span<float> values) const override {
    take(name, values);
  }
  void tensor(std::string_view name,
              std::span<const std::int64_t> /*shape*/,
              std::span<double> values) const override {
    take(name, values);
  }
  void tensor(std::string_view name,
              std::span<const std::int64_t> /*shape*/,
              std::span<std::uint64_t> values) const override {
    take(name, values);
  }
  [[nodiscard]] std::string text(std::string_view /*name*/) const override { return {}; }

  std::map<std::string, Entry> entries;

 private:
  template <class Value>
  void put(std::string_view name,
           std::span<const std::int64_t> shape,
           std::span<const Value> values) {
    Entry& entry = entries[std::string(name)];
    entry.shape.assign(shape.begin(), shape.end());
    entry.values.assign(values.begin(), values.end());
  }
  [[nodiscard]] const Entry& get(std::string_view name) const {
    const auto found = entries.find(std::string(name));
    if (found == entries.end()) {
      throw CheckpointError("no entry '" + std::string(name) + "'");
    }
    return found->second;
  }
  template <class Value>
  void take(std::string_view name, std::span<Value> values) const {
    const Entry& entry = get(name);
    BERTH_CHECK(entry.values.size() == values.size(), "size of " + std::string(name));
    std::transform(entry.values.begin(), entry.values.end(), values.begin(), [](double v) {
      return static_cast<Value>(v);
    });
  }
};

}  // namespace berth::doppler
