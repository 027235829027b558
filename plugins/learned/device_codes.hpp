// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace berth::learned {

/// Numbers that stand for a device in a network, whatever the number of devices.
inline constexpr std::size_t kDeviceCode = 8;
/// What a network answers for an op: a weight for each number of a device's code and one for the
/// op's time on the device.
inline constexpr std::size_t kDeviceScore = kDeviceCode + 1;

/// [devices, kDeviceCode] A unit vector for each device; eight devices from a multiple of eight on
/// are orthogonal, the first eight one-hot. Each further eight are the first, turned by one more
/// golden angle in the plane of columns 2i and 2i+1, so that no two devices are alike and none
/// lies between others.
inline std::vector<float> device_codes(std::size_t devices) {
  constexpr double kGoldenAngle = 2.399963229728653;
  std::vector<float> codes(devices * kDeviceCode, 0.0F);
  for (std::size_t d = 0; d < devices; ++d) {
    const double angle = kGoldenAngle * static_cast<double>(d / kDeviceCode);
    const std::size_t column = d % kDeviceCode;
    const double side = column % 2 == 0 ? 1.0 : -1.0;
    codes[d * kDeviceCode + column] = static_cast<float>(std::cos(angle));
    codes[d * kDeviceCode + (column ^ 1U)] = static_cast<float>(side * std::sin(angle));
  }
  return codes;
}

}  // namespace berth::learned
