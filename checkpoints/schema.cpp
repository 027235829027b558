// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "schema.hpp"

#include <algorithm>

namespace berth::checkpoints {
namespace {

Hdf5Handle copy_of(hid_t type) {
  return {H5Tcopy(type), H5Tclose, "copy type"};
}

}  // namespace

Hdf5Handle text_type(std::size_t size) {
  Hdf5Handle type = copy_of(H5T_C_S1);
  checked(H5Tset_size(type.get(), std::max<std::size_t>(size, 1)), "set text size");
  checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "set text padding");
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), "set text encoding");
  return type;
}

Hdf5Handle stored_type(const Entry& entry) {
  switch (entry.type) {
    case EntryType::kFloat32:
      return copy_of(H5T_IEEE_F32LE);
    case EntryType::kFloat64:
      return copy_of(H5T_IEEE_F64LE);
    case EntryType::kUint64:
      return copy_of(H5T_STD_U64LE);
    default:
      return text_type(entry.text.size());
  }
}

Hdf5Handle memory_type(const Entry& entry) {
  switch (entry.type) {
    case EntryType::kFloat32:
      return copy_of(H5T_NATIVE_FLOAT);
    case EntryType::kFloat64:
      return copy_of(H5T_NATIVE_DOUBLE);
    case EntryType::kUint64:
      return copy_of(H5T_NATIVE_UINT64);
    default:
      return text_type(entry.text.size());
  }
}

const void* values_of(const Entry& entry) {
  switch (entry.type) {
    case EntryType::kFloat32:
      return entry.float32.data();
    case EntryType::kFloat64:
      return entry.float64.data();
    case EntryType::kUint64:
      return entry.uint64.data();
    default:
      return entry.text.c_str();  // c_str(): empty text still has its NUL
  }
}

}  // namespace berth::checkpoints
