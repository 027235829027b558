// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>

#include "berth/error.hpp"

#include "atomic_file.hpp"
#include "checkpoint_file.hpp"
#include "hdf5_handle.hpp"
#include "memory_file.hpp"
#include "packing.hpp"
#include "schema.hpp"

namespace berth::checkpoints {
namespace {

constexpr hsize_t kChunkValues = 1U << 18U;

/// Without modification times, equal content gives equal bytes.
Hdf5Handle creation_properties(hid_t kind) {
  Hdf5Handle properties(H5Pcreate(kind), H5Pclose, "make properties");
  checked(H5Pset_obj_track_times(properties.get(), false), "turn object times off");
  return properties;
}

void write_attribute(hid_t object, const char* name, const std::string& text) {
  const Hdf5Handle type = text_type(text.size());
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, "make scalar");
  const Hdf5Handle attribute(
      H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose,
      "create attribute");
  checked(H5Awrite(attribute.get(), type.get(), text.empty() ? "\0" : text.data()),
          "write attribute");
}

void write_attribute(hid_t object, const char* name, const std::vector<std::uint64_t>& values) {
  const hsize_t count = values.size();
  const Hdf5Handle space(count == 0 ? H5Screate(H5S_NULL) : H5Screate_simple(1, &count, nullptr),
                         H5Sclose,
                         "make row");
  const Hdf5Handle attribute(
      H5Acreate2(object, name, H5T_STD_U64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose,
      "create attribute");
  if (count > 0) {
    checked(H5Awrite(attribute.get(), H5T_NATIVE_UINT64, values.data()), "write attribute");
  }
}

void write_header(hid_t root, const Header& header) {
  write_attribute(root, kFormatAttribute, kFormatName);
  write_attribute(root, "format_version", std::vector<std::uint64_t>{header.format_version});
  write_attribute(root, "plugin", header.plugin);
  write_attribute(root, "plugin_version", header.plugin_version);
  write_attribute(root, "policy", header.policy);
  write_attribute(root, "seed", std::vector<std::uint64_t>{header.seed});
  write_attribute(root, "update", std::vector<std::uint64_t>{header.update});
  write_attribute(root, "config", header.config);
  write_attribute(root, "graph_hashes", header.graph_hashes);
  write_attribute(root, "topology_hashes", header.topology_hashes);
}

/// Whole rows as far as they fit in a chunk.
std::vector<hsize_t> chunk_of(const std::vector<hsize_t>& shape) {
  std::vector<hsize_t> chunk = shape;
  hsize_t room = kChunkValues;
  for (std::size_t i = shape.size(); i-- > 0;) {
    chunk[i] = std::clamp<hsize_t>(shape[i], 1, std::max<hsize_t>(room, 1));
    room /= chunk[i];
  }
  return chunk;
}

void write_dataset(hid_t file, const Block& block) {
  const Entry& entry = block.entry;
  std::vector<hsize_t> shape(entry.shape.begin(), entry.shape.end());
  if (shape.empty()) {
    shape = {1};
  }
  const int rank = static_cast<int>(shape.size());
  const Hdf5Handle space(H5Screate_simple(rank, shape.data(), nullptr), H5Sclose, "make shape");
  const Hdf5Handle creation = creation_properties(H5P_DATASET_CREATE);
  const std::vector<hsize_t> chunk = chunk_of(shape);
  checked(H5Pset_chunk(creation.get(), rank, chunk.data()), "set chunks");
  checked(H5Pset_fletcher32(creation.get()), "set checksum");
  const Hdf5Handle stored = stored_type(entry);
  const Hdf5Handle dataset(H5Dcreate2(file,
                                      block.path.c_str(),
                                      stored.get(),
                                      space.get(),
                                      H5P_DEFAULT,
                                      creation.get(),
                                      H5P_DEFAULT),
                           H5Dclose,
                           "create dataset");
  const Hdf5Handle memory = memory_type(entry);
  checked(H5Dwrite(dataset.get(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values_of(entry)),
          "write dataset");
  if (!block.index.empty()) {
    write_attribute(dataset.get(), kIndexAttribute, block.index);
  }
}

/// Every folder on the way to the datasets, parents first.
std::set<std::string> groups_of(const std::vector<Block>& blocks) {
  std::set<std::string> groups;
  for (const Block& block : blocks) {
    for (std::size_t at = block.path.find('/'); at != std::string::npos;
         at = block.path.find('/', at + 1)) {
      groups.insert(block.path.substr(0, at));
    }
  }
  return groups;
}

void fill(hid_t file, const Checkpoint& checkpoint) {
  write_header(file, checkpoint.header);
  const std::vector<Block> blocks = pack(checkpoint.state);
  const Hdf5Handle group_creation = creation_properties(H5P_GROUP_CREATE);
  for (const std::string& group : groups_of(blocks)) {
    const Hdf5Handle handle(
        H5Gcreate2(file, group.c_str(), H5P_DEFAULT, group_creation.get(), H5P_DEFAULT),
        H5Gclose,
        "create group");
  }
  for (const Block& block : blocks) {
    write_dataset(file, block);
  }
}

}  // namespace

void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& file) {
  std::vector<std::byte> image;
  try {
    const QuietHdf5 quiet;
    image = build_in_memory([&checkpoint](hid_t root) { fill(root, checkpoint); });
  } catch (const Hdf5Failure& failure) {
    throw RunError(file.string() + ": cannot build the checkpoint: " + failure.what());
  }
  write_atomically(file, image);
}

}  // namespace berth::checkpoints
