// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "state_recorder.hpp"

#include <algorithm>
#include <cstdint>

#include "berth/error.hpp"

namespace berth::checkpoints {
namespace {

bool is_path(std::string_view name) {
  return !name.empty() && name.front() != '/' && name.back() != '/' &&
         name.find("//") == std::string_view::npos && name.find('\0') == std::string_view::npos &&
         !name.starts_with("packed ") && name.find("/packed ") == std::string_view::npos;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (const std::int64_t dimension : shape) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(dimension);
  }
  return text + "]";
}

}  // namespace

StateRecorder::StateRecorder(State& state, std::string prefix)
    : state_(&state), prefix_(std::move(prefix)) {}

Entry& StateRecorder::add(std::string_view name,
                          std::span<const std::int64_t> shape,
                          std::size_t count) {
  const std::string path = prefix_ + std::string(name);
  if (!is_path(name)) {
    throw PluginError("saved state: name '" + path + "'; expected a path such as 'sel/weight'");
  }
  std::size_t expected = 1;
  for (const std::int64_t dimension : shape) {
    expected *= static_cast<std::size_t>(std::max<std::int64_t>(dimension, 0));
    if (dimension < 0) {
      expected = SIZE_MAX;
      break;
    }
  }
  if (count != expected) {
    throw PluginError("saved state: '" + path + "' has " + std::to_string(count) +
                      " values; expected as many as its shape " + shape_text(shape) + " holds");
  }
  const auto [place, is_new] = state_->try_emplace(path);
  if (!is_new) {
    throw PluginError("saved state: '" + path + "' is saved twice; expected unique names");
  }
  place->second.shape.assign(shape.begin(), shape.end());
  return place->second;
}

void StateRecorder::tensor(std::string_view name,
                           std::span<const std::int64_t> shape,
                           std::span<const float> values) {
  Entry& entry = add(name, shape, values.size());
  entry.type = EntryType::kFloat32;
  entry.float32.assign(values.begin(), values.end());
}

void StateRecorder::tensor(std::string_view name,
                           std::span<const std::int64_t> shape,
                           std::span<const double> values) {
  Entry& entry = add(name, shape, values.size());
  entry.type = EntryType::kFloat64;
  entry.float64.assign(values.begin(), values.end());
}

void StateRecorder::tensor(std::string_view name,
                           std::span<const std::int64_t> shape,
                           std::span<const std::uint64_t> values) {
  Entry& entry = add(name, shape, values.size());
  entry.type = EntryType::kUint64;
  entry.uint64.assign(values.begin(), values.end());
}

void StateRecorder::text(std::string_view name, std::string_view value) {
  if (value.find('\0') != std::string_view::npos) {
    throw PluginError("saved state: text '" + prefix_ + std::string(name) +
                      "' holds a NUL character; expected plain text");
  }
  Entry& entry = add(name, {}, 1);
  entry.type = EntryType::kText;
  entry.text = value;
}

StateReplay::StateReplay(const State& state, std::string prefix, std::string origin)
    : state_(&state), prefix_(std::move(prefix)), origin_(std::move(origin)) {}

bool StateReplay::has(std::string_view name) const {
  return state_->count(prefix_ + std::string(name)) > 0;
}

const Entry& StateReplay::entry(std::string_view name) const {
  const std::string path = prefix_ + std::string(name);
  const auto found = state_->find(path);
  if (found == state_->end()) {
    throw CheckpointError(origin_ + ": no entry '" + path +
                          "'; expected a checkpoint of the same policy and version");
  }
  return found->second;
}

const Entry& StateReplay::typed(std::string_view name, EntryType type) const {
  const Entry& found = entry(name);
  if (found.type != type) {
    throw CheckpointError(origin_ + ": entry '" + prefix_ + std::string(name) + "' is " +
                          std::string(name_of(found.type)) + "; expected " +
                          std::string(name_of(type)));
  }
  return found;
}

template <class Value>
void StateReplay::copy(std::string_view name,
                       std::span<const std::int64_t> shape,
                       const Entry& from,
                       const std::vector<Value>& values,
                       std::span<Value> out) const {
  if (!std::ranges::equal(shape, from.shape) || values.size() != out.size()) {
    throw CheckpointError(origin_ + ": entry '" + prefix_ + std::string(name) + "' has shape " +
                          shape_text(from.shape) + "; expected " + shape_text(shape) +
                          "; were the policy's options the same?");
  }
  std::ranges::copy(values, out.begin());
}

std::vector<std::int64_t> StateReplay::shape(std::string_view name) const {
  return entry(name).shape;
}

void StateReplay::tensor(std::string_view name,
                         std::span<const std::int64_t> shape,
                         std::span<float> values) const {
  const Entry& from = typed(name, EntryType::kFloat32);
  copy(name, shape, from, from.float32, values);
}

void StateReplay::tensor(std::string_view name,
                         std::span<const std::int64_t> shape,
                         std::span<double> values) const {
  const Entry& from = typed(name, EntryType::kFloat64);
  copy(name, shape, from, from.float64, values);
}

void StateReplay::tensor(std::string_view name,
                         std::span<const std::int64_t> shape,
                         std::span<std::uint64_t> values) const {
  const Entry& from = typed(name, EntryType::kUint64);
  copy(name, shape, from, from.uint64, values);
}

std::string StateReplay::text(std::string_view name) const {
  return typed(name, EntryType::kText).text;
}

}  // namespace berth::checkpoints
