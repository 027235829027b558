// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "berth/config.hpp"
#include "berth/logger.hpp"

namespace berth {
inline namespace abi_v1 {

/// All that a plugin sees of its host. Valid as long as the object created with it.
struct HostServices {
  Logger* logger = nullptr;        ///< Never null.
  std::uint64_t seed = 0;          ///< The run's seed.
  const Config* config = nullptr;  ///< Validated options of the algorithm; never null.
};

}  // namespace abi_v1
}  // namespace berth
