// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <vector>

namespace berth::launcher {

/// The numeric libraries that are mapped into this process now: BLAS implementations, LibTorch,
/// CUDA math. A BLAS decides how fast a policy learns, and which one is taken is the system's
/// choice (Debian alternatives), so listings show it. Real paths, sorted.
[[nodiscard]] std::vector<std::filesystem::path> mapped_numeric_libraries();

}  // namespace berth::launcher
