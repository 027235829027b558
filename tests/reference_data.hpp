// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <gtest/gtest.h>

namespace berth {

/// The folder of public reference data: $BERTH_REFERENCE_DATA, else ../shared/data beside the
/// source tree. May not exist.
inline std::filesystem::path reference_data() {
  const char* given = std::getenv("BERTH_REFERENCE_DATA");
  return given != nullptr ? std::filesystem::path(given)
                          : std::filesystem::path(BERTH_SOURCE_DIR) / ".." / "shared" / "data";
}

}  // namespace berth

/// Skips the test, saying so, unless the named part of the reference data is there.
#define BERTH_NEEDS_REFERENCE_DATA(part)                                                    \
  do {                                                                                      \
    if (!std::filesystem::exists(::berth::reference_data() / (part))) {                     \
      std::cout << "skipped: no reference data at " << (::berth::reference_data() / (part)) \
                << "; set BERTH_REFERENCE_DATA\n";                                          \
      GTEST_SKIP();                                                                         \
    }                                                                                       \
  } while (false)
