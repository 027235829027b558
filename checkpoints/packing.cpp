// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "packing.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "berth/error.hpp"

namespace berth::checkpoints {
namespace {

using Json = nlohmann::json;

std::size_t value_count(const Entry& entry) {
  return entry.float32.size() + entry.float64.size() + entry.uint64.size();
}

/// "a/b/" of "a/b/c"; empty for a name without a group.
std::string group_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

template <class Value>
void append(std::vector<Value>& to, const std::vector<Value>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The next `count` values of a packed dataset from `offset` on.
template <class Value>
void slice(const std::vector<Value>& from,
           std::size_t offset,
           std::size_t count,
           std::vector<Value>& to) {
  if (!from.empty()) {
    to.assign(from.begin() + static_cast<std::ptrdiff_t>(offset),
              from.begin() + static_cast<std::ptrdiff_t>(offset + count));
  }
}

std::optional<std::size_t> product(const std::vector<std::int64_t>& shape, std::size_t limit) {
  std::size_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0 || (dimension > 0 && count > limit / static_cast<std::size_t>(dimension))) {
      return std::nullopt;
    }
    count *= static_cast<std::size_t>(dimension);
  }
  return count;
}

void insert(State& state, const std::string& path, Entry entry) {
  if (!state.try_emplace(path, std::move(entry)).second) {
    throw CheckpointError("entry '" + path + "' occurs twice; expected unique names");
  }
}

void unpack_block(const Block& block, State& state) {
  const Json index = Json::parse(block.index, nullptr, /*allow_exceptions=*/false);
  const std::size_t available = value_count(block.entry);
  std::size_t offset = 0;
  if (!index.is_array()) {
    throw CheckpointError("index of '" + block.path + "' is no JSON array");
  }
  for (const Json& row : index) {
    Entry entry;
    std::string name;
    try {
      name = row.at("name").get<std::string>();
      entry.shape = row.at("shape").get<std::vector<std::int64_t>>();
    } catch (const Json::exception&) {
      throw CheckpointError("index of '" + block.path +
                            "' has a row that is no {\"name\", \"shape\"}");
    }
    const auto count = product(entry.shape, available);
    if (!count || *count > available - offset) {
      throw CheckpointError("index of '" + block.path + "': '" + name +
                            "' reaches past the end of its dataset");
    }
    entry.type = block.entry.type;
    slice(block.entry.float32, offset, *count, entry.float32);
    slice(block.entry.float64, offset, *count, entry.float64);
    slice(block.entry.uint64, offset, *count, entry.uint64);
    offset += *count;
    insert(state, group_of(block.path) + name, std::move(entry));
  }
  // One value pads a dataset of tensors without values: HDF5 cannot chunk an empty one.
  if (offset != available && !(offset == 0 && available == 1)) {
    throw CheckpointError("index of '" + block.path + "' covers " + std::to_string(offset) +
                          " of " + std::to_string(available) + " values");
  }
}

}  // namespace

std::vector<Block> pack(const State& state) {
  std::map<std::string, Block> blocks;
  std::map<std::string, Json> indices;
  for (const auto& [path, entry] : state) {
    if (entry.type == EntryType::kText || value_count(entry) >= kPackBelow) {
      blocks[path] = {path, entry, {}};
      continue;
    }
    const std::string group = group_of(path);
    const std::string packed = group + "packed " + std::string(name_of(entry.type));
    Block& block = blocks[packed];
    block.path = packed;
    block.entry.type = entry.type;
    append(block.entry.float32, entry.float32);
    append(block.entry.float64, entry.float64);
    append(block.entry.uint64, entry.uint64);
    indices[packed].push_back({{"name", path.substr(group.size())}, {"shape", entry.shape}});
  }
  std::vector<Block> result;
  for (auto& [path, block] : blocks) {
    if (const auto index = indices.find(path); index != indices.end()) {
      if (value_count(block.entry) == 0) {
        block.entry.float32.resize(block.entry.type == EntryType::kFloat32 ? 1 : 0);
        block.entry.float64.resize(block.entry.type == EntryType::kFloat64 ? 1 : 0);
        block.entry.uint64.resize(block.entry.type == EntryType::kUint64 ? 1 : 0);
      }
      block.index = index->second.dump();
      block.entry.shape = {static_cast<std::int64_t>(value_count(block.entry))};
    }
    result.push_back(std::move(block));
  }
  return result;
}

State unpack(std::vector<Block> blocks) {
  State state;
  for (Block& block : blocks) {
    if (block.index.empty()) {
      insert(state, block.path, std::move(block.entry));
    } else {
      unpack_block(block, state);
    }
  }
  return state;
}

}  // namespace berth::checkpoints
