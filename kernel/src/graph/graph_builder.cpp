// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "berth/error.hpp"
#include "berth/graph.hpp"

#include "../base/hash.hpp"
#include "graph_storage.hpp"

namespace berth {
inline namespace abi_v1 {
namespace {

struct PendingEdge {
  OpId from{};
  OpId to{};
  double size = 0.0;
};

std::string number_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// @param place makes the text that names the place; called only to complain, as graphs are large.
template <class Place>
void require_amount(double value, const Place& place, const char* field) {
  if (!(value >= 0.0) || std::isinf(value)) {
    throw InputError(place() + ": " + field + " is " + number_text(value) +
                     "; expected a finite number >= 0");
  }
}

void require_op(OpId op, std::size_t num_ops) {
  if (index(op) >= num_ops) {
    throw InputError("edge: op " + std::to_string(index(op)) + " does not exist; there are " +
                     std::to_string(num_ops) + " ops");
  }
}

}  // namespace

struct GraphBuilder::State {
  Graph::Storage storage;
  std::vector<PendingEdge> edges;
  std::vector<std::vector<DeviceId>> eligible;
  bool any_eligible = false;
  std::unordered_map<std::string, std::uint16_t> kind_index;
  std::vector<std::string> warnings;

  [[nodiscard]] std::string label(std::size_t op) const {
    const std::string& name = storage.names[op];
    return name.empty() ? "op" + std::to_string(op)
                        : "'" + name + "' (op " + std::to_string(op) + ")";
  }
  void add_times(std::size_t op, const OpSpec& spec);
  void merge_parallel_edges();
  void build_rows();
  void order_or_throw();
  [[nodiscard]] std::string describe_cycle(const std::vector<std::uint32_t>& missing) const;
  void hash();
};

GraphBuilder::GraphBuilder(std::string name) : state_(std::make_unique<State>()) {
  state_->storage.name = std::move(name);
}
GraphBuilder::~GraphBuilder() = default;
GraphBuilder::GraphBuilder(GraphBuilder&&) noexcept = default;
GraphBuilder& GraphBuilder::operator=(GraphBuilder&&) noexcept = default;

GraphBuilder& GraphBuilder::name(std::string name) {
  state_->storage.name = std::move(name);
  return *this;
}

GraphBuilder& GraphBuilder::cost_basis(CostBasis basis, double seconds_per_unit) {
  if (!(seconds_per_unit > 0.0) || std::isinf(seconds_per_unit)) {
    throw InputError("graph: seconds per unit is " + number_text(seconds_per_unit) +
                     "; expected a finite number > 0");
  }
  state_->storage.basis = basis;
  state_->storage.seconds_per_unit = basis == CostBasis::kPhysical ? 1.0 : seconds_per_unit;
  return *this;
}

OpId GraphBuilder::add_op(OpSpec spec) {
  Graph::Storage& storage = state_->storage;
  const std::size_t op = storage.work.size();
  if (op >= std::numeric_limits<std::uint32_t>::max()) {
    throw InputError("graph: more than 4294967295 ops");
  }
  storage.names.push_back(std::move(spec.name));
  const auto place = [&] { return state_->label(op); };
  require_amount(spec.work, place, "work");
  require_amount(spec.output_bytes, place, "output_bytes");
  require_amount(spec.touched_bytes, place, "touched_bytes");
  require_amount(spec.memory_bytes, place, "memory_bytes");
  state_->add_times(op, spec);
  const std::string kind = spec.kind.empty() ? "unknown" : std::move(spec.kind);
  const auto [slot, fresh] =
      state_->kind_index.try_emplace(kind, static_cast<std::uint16_t>(storage.kinds.size()));
  if (fresh) {
    if (storage.kinds.size() == std::numeric_limits<std::uint16_t>::max()) {
      throw InputError(place() + ": more than 65535 distinct op kinds");
    }
    storage.kinds.push_back(kind);
  }
  storage.kind_of.push_back(slot->second);
  storage.kernels.push_back(std::move(spec.kernel));
  storage.work.push_back(spec.work);
  storage.output_bytes.push_back(spec.output_bytes);
  storage.touched_bytes.push_back(spec.touched_bytes);
  storage.memory_bytes.push_back(spec.memory_bytes);
  state_->any_eligible = state_->any_eligible || !spec.eligible.empty();
  state_->eligible.push_back(std::move(spec.eligible));
  return to_id<OpId>(op);
}

void GraphBuilder::State::add_times(std::size_t op, const OpSpec& spec) {
  const std::vector<double>& times = spec.device_time;
  if (op > 0 && times.size() != storage.table_devices) {
    throw InputError(label(op) + ": device_time has " + std::to_string(times.size()) +
                     " values; expected " + std::to_string(storage.table_devices) +
                     " as the ops before");
  }
  storage.table_devices = times.size();
  bool runs = times.empty();
  for (const double time : times) {
    if (!(time >= 0.0)) {
      throw InputError(label(op) + ": device_time is " + number_text(time) +
                       "; expected a number >= 0, or +infinity for a device that cannot run it");
    }
    runs = runs || !std::isinf(time);
  }
  if (!runs) {
    throw InputError(label(op) + ": no device can run it");
  }
  storage.device_time.insert(storage.device_time.end(), times.begin(), times.end());
}

GraphBuilder& GraphBuilder::add_edge(OpId from, OpId to, double size) {
  require_op(from, num_ops());
  require_op(to, num_ops());
  if (from == to) {
    throw InputError(state_->label(index(from)) + ": depends on itself (self-loop)");
  }
  const auto place = [&] {
    return "edge " + state_->label(index(from)) + " -> " + state_->label(index(to));
  };
  require_amount(size, place, "size");
  state_->edges.push_back({from, to, size});
  return *this;
}

std::size_t GraphBuilder::num_ops() const noexcept {
  return state_->storage.work.size();
}

void GraphBuilder::State::merge_parallel_edges() {
  // Stable by source: the file's order of a source's edges is kept, as event orders depend on it.
  std::stable_sort(edges.begin(), edges.end(), [](const PendingEdge& a, const PendingEdge& b) {
    return a.from < b.from;
  });
  std::vector<std::size_t> seen_at(storage.work.size(), 0);
  std::vector<PendingEdge> kept;
  kept.reserve(edges.size());
  std::size_t row_begin = 0;
  std::size_t merged = 0;
  std::string first;
  for (const PendingEdge& edge : edges) {
    if (kept.empty() || kept.back().from != edge.from) {
      row_begin = kept.size();
    }
    std::size_t& slot = seen_at[index(edge.to)];  // position + 1 of the kept edge to this target
    if (slot > row_begin && kept[slot - 1].from == edge.from && kept[slot - 1].to == edge.to) {
      kept[slot - 1].size += edge.size;
      if (merged++ == 0) {
        first = label(index(edge.from)) + " -> " + label(index(edge.to));
      }
      continue;
    }
    kept.push_back(edge);
    slot = kept.size();
  }
  if (merged > 0) {
    warnings.push_back(std::to_string(merged) + " parallel edge" + (merged == 1 ? "" : "s") +
                       " merged, sizes added; first: " + first);
  }
  edges = std::move(kept);
}

void GraphBuilder::State::build_rows() {
  const std::size_t n = storage.work.size();
  const std::size_t m = edges.size();
  storage.out_offsets.assign(n + 1, 0);
  storage.in_offsets.assign(n + 1, 0);
  for (const PendingEdge& edge : edges) {
    ++storage.out_offsets[index(edge.from) + 1];
    ++storage.in_offsets[index(edge.to) + 1];
  }
  std::partial_sum(
      storage.out_offsets.begin(), storage.out_offsets.end(), storage.out_offsets.begin());
  std::partial_sum(
      storage.in_offsets.begin(), storage.in_offsets.end(), storage.in_offsets.begin());
  storage.out_targets.resize(m);
  storage.edge_size.resize(m);
  storage.in_sources.resize(m);
  storage.in_edges.resize(m);
  std::vector<std::uint64_t> next(storage.in_offsets.begin(), storage.in_offsets.end() - 1);
  for (std::size_t e = 0; e < m; ++e) {
    storage.out_targets[e] = edges[e].to;
    storage.edge_size[e] = edges[e].size;
    const std::uint64_t slot = next[index(edges[e].to)]++;
    storage.in_sources[slot] = edges[e].from;
    storage.in_edges[slot] = to_id<EdgeId>(e);
  }
}

void GraphBuilder::State::order_or_throw() {
  const std::size_t n = storage.work.size();
  std::vector<std::uint32_t> missing(n);
  std::vector<OpId>& order = storage.topological_order;
  order.clear();
  order.reserve(n);
  for (std::size_t v = 0; v < n; ++v) {
    missing[v] = static_cast<std::uint32_t>(storage.in_offsets[v + 1] - storage.in_offsets[v]);
    if (missing[v] == 0) {
      order.push_back(to_id<OpId>(v));
    }
  }
  for (std::size_t head = 0; head < order.size(); ++head) {
    const std::size_t v = index(order[head]);
    for (std::uint64_t e = storage.out_offsets[v]; e < storage.out_offsets[v + 1]; ++e) {
      if (--missing[index(storage.out_targets[e])] == 0) {
        order.push_back(storage.out_targets[e]);
      }
    }
  }
  if (order.size() != n) {
    throw InputError(describe_cycle(missing));
  }
}

std::string GraphBuilder::State::describe_cycle(const std::vector<std::uint32_t>& missing) const {
  // Every op that is left has a predecessor that is left: walking backwards must repeat an op.
  const std::size_t n = missing.size();
  std::size_t v = 0;
  while (missing[v] == 0) {
    ++v;
  }
  std::vector<std::size_t> seen_at(n, n);
  std::vector<std::size_t> walk;
  while (seen_at[v] == n) {
    seen_at[v] = walk.size();
    walk.push_back(v);
    std::uint64_t slot = storage.in_offsets[v];
    while (missing[index(storage.in_sources[slot])] == 0) {
      ++slot;
    }
    v = index(storage.in_sources[slot]);
  }
  std::vector<std::size_t> cycle(walk.begin() + static_cast<std::ptrdiff_t>(seen_at[v]),
                                 walk.end());
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  std::string text = "cycle of " + std::to_string(cycle.size()) + " ops: ";
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < std::min(cycle.size(), kShown); ++i) {
    text += label(cycle[i]) + " -> ";
  }
  text += (cycle.size() > kShown ? "... -> " : "") + label(cycle.front());
  return text + "; expected an acyclic graph";
}

void GraphBuilder::State::hash() {
  internal::Hasher hasher;
  hasher.word(static_cast<std::uint64_t>(storage.basis));
  hasher.number(storage.seconds_per_unit);
  hasher.word(storage.work.size());
  for (const std::string& kind : storage.kinds) {
    hasher.text(kind);
  }
  for (const std::uint16_t kind : storage.kind_of) {
    hasher.word(kind);
  }
  for (const auto* column : {&storage.work,
                             &storage.output_bytes,
                             &storage.touched_bytes,
                             &storage.memory_bytes,
                             &storage.device_time,
                             &storage.edge_size}) {
    for (const double value : *column) {
      hasher.number(value);
    }
  }
  hasher.word(storage.table_devices);
  for (const std::uint64_t offset : storage.out_offsets) {
    hasher.word(offset);
  }
  for (const OpId target : storage.out_targets) {
    hasher.word(index(target));
  }
  for (const std::uint64_t offset : storage.eligible_offsets) {
    hasher.word(offset);
  }
  for (const DeviceId device : storage.eligible) {
    hasher.word(index(device));
  }
  storage.hash = hasher.value();
}

Graph GraphBuilder::freeze() {
  State& state = *state_;
  state.merge_parallel_edges();
  state.build_rows();
  state.order_or_throw();
  if (state.any_eligible) {
    state.storage.eligible_offsets.assign(1, 0);
    for (const std::vector<DeviceId>& devices : state.eligible) {
      state.storage.eligible.insert(state.storage.eligible.end(), devices.begin(), devices.end());
      state.storage.eligible_offsets.push_back(state.storage.eligible.size());
    }
  }
  state.hash();
  Graph graph;
  graph.storage_ = std::make_shared<const Graph::Storage>(std::move(state.storage));
  std::vector<std::string> warnings = std::move(state.warnings);
  state = State{};
  state.warnings = std::move(warnings);
  return graph;
}

std::span<const std::string> GraphBuilder::warnings() const noexcept {
  return state_->warnings;
}

}  // namespace abi_v1
}  // namespace berth
