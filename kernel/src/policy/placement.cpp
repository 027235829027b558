// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "berth/placement.hpp"

#include "../base/hash.hpp"

namespace berth {
inline namespace abi_v1 {

std::uint64_t placement_hash(std::span<const DeviceId> device) noexcept {
  internal::Hasher hasher;
  for (const DeviceId d : device) {
    hasher.word(index(d));
  }
  return hasher.value();
}

}  // namespace abi_v1
}  // namespace berth
