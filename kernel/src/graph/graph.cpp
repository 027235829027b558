// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/graph.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "graph_storage.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

/// "s128" of "s128:256"; a word that is no range stays as it is.
std::string extent_of(std::string_view word) {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  const char* const last = word.data() + word.size();
  const auto [colon, error] = std::from_chars(word.data() + 1, last, begin);
  if (error != std::errc() || colon == last || *colon != ':' ||
      std::from_chars(colon + 1, last, end).ptr != last || end <= begin) {
    return std::string(word);
  }
  return word.front() + std::to_string(end - begin);
}

}  // namespace

Graph::Graph() : storage_(std::make_shared<const Storage>()) {}

const std::string& Graph::name() const noexcept {
  return storage_->name;
}
std::size_t Graph::num_ops() const noexcept {
  return storage_->work.size();
}
std::size_t Graph::num_edges() const noexcept {
  return storage_->out_targets.size();
}
CostBasis Graph::cost_basis() const noexcept {
  return storage_->basis;
}
double Graph::seconds_per_unit() const noexcept {
  return storage_->seconds_per_unit;
}

std::string Graph::op_name(OpId op) const {
  const std::string& name = storage_->names[index(op)];
  return name.empty() ? "op" + std::to_string(index(op)) : name;
}

const std::string& Graph::kind(OpId op) const noexcept {
  return storage_->kinds[storage_->kind_of[index(op)]];
}
std::span<const std::string> Graph::kinds() const noexcept {
  return storage_->kinds;
}
std::span<const std::uint16_t> Graph::kind_of() const noexcept {
  return storage_->kind_of;
}

const std::string& Graph::kernel(OpId op) const noexcept {
  return storage_->kernels[index(op)];
}
std::string_view Graph::rate_name(OpId op) const noexcept {
  const std::string_view text = kernel(op);
  return text.empty() ? std::string_view(kind(op)) : text.substr(0, text.find(' '));
}
std::string Graph::rate_shape(OpId op) const {
  const std::string_view text = kernel(op);
  const std::string_view computed = text.substr(0, text.find(';'));
  std::string shape;
  for (std::size_t at = 0; at < computed.size();) {
    const std::size_t end = std::min(computed.find(' ', at), computed.size());
    const std::string_view word = computed.substr(at, end - at);
    at = end + 1;
    if (word.empty() || word.front() == '*' || word.front() == '+') {
      continue;  // a factor or a number to add: what is computed, not how much
    }
    shape += shape.empty() ? "" : " ";
    shape += extent_of(word);
  }
  return shape;
}

std::span<const double> Graph::work() const noexcept {
  return storage_->work;
}
std::span<const double> Graph::output_bytes() const noexcept {
  return storage_->output_bytes;
}
std::span<const double> Graph::touched_bytes() const noexcept {
  return storage_->touched_bytes;
}
std::span<const double> Graph::memory_bytes() const noexcept {
  return storage_->memory_bytes;
}

std::size_t Graph::table_devices() const noexcept {
  return storage_->table_devices;
}
std::span<const double> Graph::device_time() const noexcept {
  return storage_->device_time;
}

std::span<const DeviceId> Graph::eligible(OpId op) const noexcept {
  const std::vector<std::uint64_t>& offsets = storage_->eligible_offsets;
  if (offsets.empty()) {
    return {};
  }
  return std::span(storage_->eligible)
      .subspan(offsets[index(op)], offsets[index(op) + 1] - offsets[index(op)]);
}
bool Graph::has_eligibility() const noexcept {
  return !storage_->eligible_offsets.empty();
}

std::span<const std::uint64_t> Graph::out_offsets() const noexcept {
  return storage_->out_offsets;
}
std::span<const OpId> Graph::out_targets() const noexcept {
  return storage_->out_targets;
}
std::span<const double> Graph::edge_size() const noexcept {
  return storage_->edge_size;
}
std::span<const std::uint64_t> Graph::in_offsets() const noexcept {
  return storage_->in_offsets;
}
std::span<const OpId> Graph::in_sources() const noexcept {
  return storage_->in_sources;
}
std::span<const EdgeId> Graph::in_edges() const noexcept {
  return storage_->in_edges;
}

std::span<const OpId> Graph::successors(OpId op) const noexcept {
  const std::uint64_t begin = storage_->out_offsets[index(op)];
  return std::span(storage_->out_targets)
      .subspan(begin, storage_->out_offsets[index(op) + 1] - begin);
}
std::span<const OpId> Graph::predecessors(OpId op) const noexcept {
  const std::uint64_t begin = storage_->in_offsets[index(op)];
  return std::span(storage_->in_sources)
      .subspan(begin, storage_->in_offsets[index(op) + 1] - begin);
}

std::span<const OpId> Graph::topological_order() const noexcept {
  return storage_->topological_order;
}
std::uint64_t Graph::hash() const noexcept {
  return storage_->hash;
}

}  // namespace abi_v1
}  // namespace berth
