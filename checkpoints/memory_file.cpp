// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "memory_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace berth::checkpoints {
namespace {

constexpr std::size_t kGrowthBytes = 1U << 20U;

/// Where the memory goes when HDF5 closes the file.
struct Capture {
  std::vector<std::byte> bytes;  ///< Sized before the close.
};

herr_t capture_and_free(void* memory, H5FD_file_image_op_t operation, void* capture) {
  std::vector<std::byte>& bytes = static_cast<Capture*>(capture)->bytes;
  if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE && memory != nullptr && !bytes.empty()) {
    std::memcpy(bytes.data(), memory, bytes.size());
  }
  std::free(memory);
  return 0;
}

/// HDF5 gives back free space at the end of the file when it closes it: where the file ends is
/// then in its superblock (version 2 and 3; HDF5 File Format Specification 3.0, section II.A).
std::size_t end_of_file(const std::vector<std::byte>& bytes) {
  constexpr std::size_t kEndOfFileOffset = 28;
  std::uint64_t end = 0;
  if (bytes.size() >= kEndOfFileOffset + sizeof end) {
    std::memcpy(&end, bytes.data() + kEndOfFileOffset, sizeof end);
  }
  if (end == 0 || end > bytes.size()) {
    throw Hdf5Failure("close file: no superblock of the latest format");
  }
  return static_cast<std::size_t>(end);
}

Hdf5Handle access_properties(Capture& capture) {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make access properties");
  H5FD_file_image_callbacks_t callbacks = {};
  callbacks.image_malloc = [](std::size_t size, H5FD_file_image_op_t, void*) {
    return std::malloc(size);
  };
  callbacks.image_memcpy =
      [](void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
        return std::memcpy(to, from, size);
      };
  callbacks.image_realloc = [](void* memory, std::size_t size, H5FD_file_image_op_t, void*) {
    return std::realloc(memory, size);
  };
  callbacks.image_free = capture_and_free;
  callbacks.udata_copy = [](void* capture_pointer) { return capture_pointer; };
  callbacks.udata_free = [](void*) -> herr_t { return 0; };
  callbacks.udata = &capture;
  checked(H5Pset_file_image_callbacks(access.get(), &callbacks), "watch memory");
  checked(H5Pset_fapl_core(access.get(), kGrowthBytes, false), "use memory");
  // Only the latest format checks every piece of metadata by a checksum of its own.
  checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "set format");
  return access;
}

}  // namespace

std::vector<std::byte> build_in_memory(const std::function<void(hid_t file)>& fill) {
  Capture capture;
  {
    const Hdf5Handle access = access_properties(capture);
    const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make properties");
    checked(H5Pset_obj_track_times(creation.get(), false), "turn object times off");
    const Hdf5Handle file(H5Fcreate("checkpoint", H5F_ACC_TRUNC, creation.get(), access.get()),
                          H5Fclose,
                          "create file");
    fill(file.get());
    checked(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), "flush");
    const ssize_t size = checked(H5Fget_file_image(file.get(), nullptr, 0), "measure file");
    capture.bytes.resize(static_cast<std::size_t>(size));
  }
  capture.bytes.resize(end_of_file(capture.bytes));
  return std::move(capture.bytes);
}

}  // namespace berth::checkpoints
