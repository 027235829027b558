// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "berth/error.hpp"
#include "berth/state.hpp"

namespace berth::conformance {

/// The state of a policy in memory; equal states hold the same entries bit for bit.
class MemoryState final : public StateWriter, public StateReader {
 public:
  using Values = std::
      variant<std::vector<float>, std::vector<double>, std::vector<std::uint64_t>, std::string>;
  struct Entry {
    std::vector<std::int64_t> shape;
    Values values;

    bool operator==(const Entry&) const = default;
  };

  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<const float> values) override {
    put(name, shape, std::vector<float>(values.begin(), values.end()));
  }
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<const double> values) override {
    put(name, shape, std::vector<double>(values.begin(), values.end()));
  }
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<const std::uint64_t> values) override {
    put(name, shape, std::vector<std::uint64_t>(values.begin(), values.end()));
  }
  void text(std::string_view name, std::string_view value) override {
    put(name, {}, std::string(value));
  }

  [[nodiscard]] bool has(std::string_view name) const override {
    return entries_.count(std::string(name)) > 0;
  }
  [[nodiscard]] std::vector<std::int64_t> shape(std::string_view name) const override {
    return entry(name).shape;
  }
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<float> values) const override {
    get(name, shape, values);
  }
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<double> values) const override {
    get(name, shape, values);
  }
  void tensor(std::string_view name,
              std::span<const std::int64_t> shape,
              std::span<std::uint64_t> values) const override {
    get(name, shape, values);
  }
  [[nodiscard]] std::string text(std::string_view name) const override {
    return typed<std::string>(name);
  }

  [[nodiscard]] const std::map<std::string, Entry>& entries() const noexcept { return entries_; }
  void erase(const std::string& name) { entries_.erase(name); }

 private:
  void put(std::string_view name, std::span<const std::int64_t> shape, Values values) {
    const Entry entry{{shape.begin(), shape.end()}, std::move(values)};
    if (!entries_.emplace(name, entry).second) {
      throw InternalError("state entry '" + std::string(name) + "' is written twice");
    }
  }

  [[nodiscard]] const Entry& entry(std::string_view name) const {
    const auto found = entries_.find(std::string(name));
    if (found == entries_.end()) {
      throw CheckpointError("state entry '" + std::string(name) + "' is missing");
    }
    return found->second;
  }

  template <class Type>
  [[nodiscard]] const Type& typed(std::string_view name) const {
    const auto* values = std::get_if<Type>(&entry(name).values);
    if (values == nullptr) {
      throw CheckpointError("state entry '" + std::string(name) + "' has another type");
    }
    return *values;
  }

  template <class Number>
  void get(std::string_view name,
           std::span<const std::int64_t> shape,
           std::span<Number> values) const {
    const auto& stored = typed<std::vector<Number>>(name);
    if (!std::equal(
            shape.begin(), shape.end(), entry(name).shape.begin(), entry(name).shape.end()) ||
        values.size() != stored.size()) {
      throw CheckpointError("state entry '" + std::string(name) + "' has another shape");
    }
    std::copy(stored.begin(), stored.end(), values.begin());
  }

  std::map<std::string, Entry> entries_;
};

}  // namespace berth::conformance
