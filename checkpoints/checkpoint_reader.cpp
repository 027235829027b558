// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "berth/error.hpp"

#include "checkpoint_file.hpp"
#include "hdf5_handle.hpp"
#include "packing.hpp"
#include "schema.hpp"

namespace berth::checkpoints {
namespace {

namespace fs = std::filesystem;

/// HDF5 hides why a file cannot be opened; the system tells.
void check_readable(const fs::path& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> handle(std::fopen(file.c_str(), "rb"),
                                                               std::fclose);
  if (handle == nullptr || std::fgetc(handle.get()) == EOF) {
    const bool is_empty = handle != nullptr && std::feof(handle.get()) != 0;
    throw CheckpointError(file.string() + ": " + (is_empty ? "empty file" : std::strerror(errno)) +
                          "; expected a berth checkpoint");
  }
}

Hdf5Handle open_file(const fs::path& file) {
  const htri_t is_hdf5 = H5Fis_hdf5(file.c_str());
  if (is_hdf5 <= 0) {
    throw CheckpointError(file.string() +
                          ": not an HDF5 file; expected a berth checkpoint (HDF5 with attribute "
                          "format = '" +
                          kFormatName + "')");
  }
  return {H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open"};
}

Hdf5Handle open_attribute(hid_t object, const char* name) {
  if (checked(H5Aexists(object, name), "look for attribute") == 0) {
    throw CheckpointError("no attribute '" + std::string(name) + "'");
  }
  return {H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "open attribute"};
}

/// Fixed-length text of a scalar attribute or of a dataset of one element.
template <class Read>
std::string read_text(const Hdf5Handle& type, const std::string& place, const Read& read) {
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) {
    throw CheckpointError(place + " is not of type text of fixed length");
  }
  std::string text(H5Tget_size(type.get()), '\0');
  read(type.get(), text.data());
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

std::string text_attribute(hid_t object, const char* name) {
  const Hdf5Handle attribute = open_attribute(object, name);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose, "get type");
  const std::string place = "attribute '" + std::string(name) + "'";
  return read_text(type, place, [&attribute](hid_t memory, char* out) {
    checked(H5Aread(attribute.get(), memory, out), "read attribute");
  });
}

std::vector<std::uint64_t> number_attribute(hid_t object, const char* name) {
  const Hdf5Handle attribute = open_attribute(object, name);
  const Hdf5Handle type(H5Aget_type(attribute.get()), H5Tclose, "get type");
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose, "get shape");
  if (H5Tget_class(type.get()) != H5T_INTEGER) {
    throw CheckpointError("attribute '" + std::string(name) + "' is not of type uint64");
  }
  const hssize_t count = checked(H5Sget_simple_extent_npoints(space.get()), "count values");
  std::vector<std::uint64_t> values(static_cast<std::size_t>(count));
  if (count > 0) {
    checked(H5Aread(attribute.get(), H5T_NATIVE_UINT64, values.data()), "read attribute");
  }
  return values;
}

std::uint64_t one_number(hid_t object, const char* name) {
  const std::vector<std::uint64_t> values = number_attribute(object, name);
  if (values.size() != 1) {
    throw CheckpointError("attribute '" + std::string(name) + "' has " +
                          std::to_string(values.size()) + " values; expected one");
  }
  return values[0];
}

Header read_header(hid_t root) {
  if (checked(H5Aexists(root, kFormatAttribute), "look for attribute") == 0 ||
      text_attribute(root, kFormatAttribute) != kFormatName) {
    throw CheckpointError("an HDF5 file of another kind; expected attribute format = '" +
                          kFormatName + "'");
  }
  const std::uint64_t version = one_number(root, "format_version");
  if (version == 0 || version > kFormatVersion) {
    throw CheckpointError("checkpoint format " + std::to_string(version) +
                          "; this berth reads formats 1 to " + std::to_string(kFormatVersion) +
                          "; use a newer berth");
  }
  Header header;
  header.format_version = static_cast<std::uint32_t>(version);
  header.plugin = text_attribute(root, "plugin");
  header.plugin_version = text_attribute(root, "plugin_version");
  header.policy = text_attribute(root, "policy");
  header.seed = one_number(root, "seed");
  header.update = one_number(root, "update");
  header.config = text_attribute(root, "config");
  header.graph_hashes = number_attribute(root, "graph_hashes");
  header.topology_hashes = number_attribute(root, "topology_hashes");
  return header;
}

EntryType entry_type(const Hdf5Handle& type, const std::string& path) {
  const H5T_class_t kind = H5Tget_class(type.get());
  const std::size_t size = H5Tget_size(type.get());
  if (kind == H5T_STRING) {
    return EntryType::kText;
  }
  if (kind == H5T_FLOAT && (size == 4 || size == 8)) {
    return size == 4 ? EntryType::kFloat32 : EntryType::kFloat64;
  }
  if (kind == H5T_INTEGER && size == 8 && H5Tget_sign(type.get()) == H5T_SGN_NONE) {
    return EntryType::kUint64;
  }
  throw CheckpointError("dataset '" + path +
                        "' is of another type than float32, float64, uint64 "
                        "and text");
}

/// The shape of a dataset, whose bytes cannot be more than those of the file.
std::vector<std::int64_t> read_shape(const Hdf5Handle& dataset,
                                     std::size_t value_bytes,
                                     const std::string& path,
                                     std::uintmax_t file_bytes) {
  const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose, "get shape");
  const int rank = checked(H5Sget_simple_extent_ndims(space.get()), "count dimensions");
  std::vector<hsize_t> shape(static_cast<std::size_t>(rank));
  checked(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), "get shape");
  std::uintmax_t room = file_bytes / value_bytes;
  for (const hsize_t dimension : shape) {
    room = dimension == 0 ? room : room / dimension;
  }
  if (room == 0) {
    throw CheckpointError("dataset '" + path + "' claims more values than the file has bytes");
  }
  return {shape.begin(), shape.end()};
}

template <class Value>
void read_values(const Hdf5Handle& dataset, hid_t type, Entry& entry, std::vector<Value>& values) {
  std::size_t count = 1;
  for (const std::int64_t dimension : entry.shape) {
    count *= static_cast<std::size_t>(dimension);
  }
  values.resize(count);
  if (count > 0) {
    checked(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read");
  }
}

Block read_dataset(const Hdf5Handle& dataset, const std::string& path, std::uintmax_t file_bytes) {
  Block block;
  block.path = path;
  Entry& entry = block.entry;
  const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose, "get type");
  entry.type = entry_type(type, path);
  entry.shape = read_shape(dataset, H5Tget_size(type.get()), path, file_bytes);
  if (checked(H5Aexists(dataset.get(), kIndexAttribute), "look for attribute") > 0) {
    block.index = text_attribute(dataset.get(), kIndexAttribute);
  }
  switch (entry.type) {
    case EntryType::kFloat32:
      read_values(dataset, H5T_NATIVE_FLOAT, entry, entry.float32);
      break;
    case EntryType::kFloat64:
      read_values(dataset, H5T_NATIVE_DOUBLE, entry, entry.float64);
      break;
    case EntryType::kUint64:
      read_values(dataset, H5T_NATIVE_UINT64, entry, entry.uint64);
      break;
    case EntryType::kText:
      if (entry.shape != std::vector<std::int64_t>{1}) {
        throw CheckpointError("dataset '" + path + "' holds several texts; expected one");
      }
      entry.shape.clear();
      entry.text = read_text(type, "dataset '" + path + "'", [&dataset](hid_t memory, char* out) {
        checked(H5Dread(dataset.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), "read");
      });
      break;
  }
  return block;
}

std::vector<std::string> object_paths(const Hdf5Handle& file) {
  std::vector<std::string> paths;
  const H5L_iterate_t collect = [](hid_t, const char* name, const H5L_info_t* info, void* out) {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return info->type == H5L_TYPE_HARD ? 0 : -1;
  };
  checked(H5Lvisit(file.get(), H5_INDEX_NAME, H5_ITER_INC, collect, &paths), "list objects");
  return paths;
}

Checkpoint read_open_file(const Hdf5Handle& file, std::uintmax_t file_bytes) {
  Checkpoint checkpoint;
  checkpoint.header = read_header(file.get());
  std::vector<Block> blocks;
  for (const std::string& path : object_paths(file)) {
    const Hdf5Handle object(H5Oopen(file.get(), path.c_str(), H5P_DEFAULT), H5Oclose, "open");
    try {
      if (H5Iget_type(object.get()) == H5I_DATASET) {
        blocks.push_back(read_dataset(object, path, file_bytes));
      }
    } catch (const Hdf5Failure& failure) {
      throw Hdf5Failure("dataset '" + path + "': " + failure.what());
    }
  }
  checkpoint.state = unpack(std::move(blocks));
  return checkpoint;
}

}  // namespace

Checkpoint read_checkpoint(const fs::path& file) {
  check_readable(file);
  const QuietHdf5 quiet;
  try {
    const Hdf5Handle handle = open_file(file);
    try {
      return read_open_file(handle, fs::file_size(file));
    } catch (const CheckpointError& error) {
      rethrow_with_context(error, file.string());
    }
  } catch (const Hdf5Failure& failure) {
    throw CheckpointError(file.string() + ": damaged checkpoint (" + failure.what() +
                          "); expected an intact file; use the previous checkpoint");
  }
}

}  // namespace berth::checkpoints
