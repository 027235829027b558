// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <hdf5.h>

namespace berth::checkpoints {

/// A failed HDF5 call; what() carries HDF5's own innermost message. Never leaves this library:
/// readers and writers turn it into an Error that names the file.
class Hdf5Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Stops HDF5 from printing its error stack while it lives.
class QuietHdf5 {
 public:
  QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;
  ~QuietHdf5();

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// @throws Hdf5Failure "action: reason" if `status` is negative; returns it otherwise.
template <class Status>
Status checked(Status status, const char* action);

/// Owns one HDF5 identifier. The only place that closes any.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  /// @throws Hdf5Failure naming `action` if `id` is the result of a failed call.
  Hdf5Handle(hid_t id, Close close, const char* action) : id_(checked(id, action)), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) {
      close_(id_);
    }
  }

  [[nodiscard]] hid_t get() const noexcept { return id_; }

 private:
  hid_t id_;
  Close close_;
};

/// The innermost message on HDF5's error stack; "no reason given" if it is empty.
[[nodiscard]] std::string hdf5_reason();

template <class Status>
Status checked(Status status, const char* action) {
  if (status < 0) {
    throw Hdf5Failure(std::string(action) + ": " + hdf5_reason());
  }
  return status;
}

}  // namespace berth::checkpoints
