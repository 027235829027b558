// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <utility>

#include "berth/roofline.hpp"

#include "profile_table.hpp"

namespace berth::datasets {

/// What kernels take on one accelerator: measured where a profile has the shape, else the roofline.
class KernelTimes {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a roofline alone is one.
  KernelTimes(const Roofline& roofline) : roofline_(&roofline) {}
  KernelTimes(const Roofline& roofline, const ProfileTable* profile, std::string device)
      : roofline_(&roofline), profile_(profile), device_(std::move(device)) {}

  /// See Roofline.
  [[nodiscard]] double product(double m, double n, double k, double count = 1.0) const {
    if (profile_ != nullptr) {
      if (const auto seconds = profile_->product(device_, m, n, k, count)) {
        return *seconds;
      }
    }
    return roofline_->product(m, n, k, count);
  }
  [[nodiscard]] double vector(double size_bytes) const {
    if (profile_ != nullptr) {
      if (const auto seconds = profile_->vector(device_, size_bytes)) {
        return *seconds;
      }
    }
    return roofline_->vector(size_bytes);
  }
  [[nodiscard]] const ProfileTable* profile() const noexcept { return profile_; }
  [[nodiscard]] const std::string& device() const noexcept { return device_; }

 private:
  const Roofline* roofline_;
  const ProfileTable* profile_ = nullptr;
  std::string device_;
};

}  // namespace berth::datasets
