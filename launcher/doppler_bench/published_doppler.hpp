// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string_view>

namespace berth::launcher {

/// What the DOPPLER paper (arXiv 2505.23131) reports on four P100, in milliseconds; 0: nothing.
struct PublishedRow {
  std::string_view method;  ///< As `berth bench doppler` calls it.
  double chain = 0.0;
  double ffnn = 0.0;
  double block = 0.0;
  double layer = 0.0;
};

/// Tables 2 (all methods) and 3 (doppler-sel, doppler-plc, doppler-sys).
[[nodiscard]] std::span<const PublishedRow> published_doppler();

/// @param workload as in "workload:<name>". @return milliseconds, 0 where there is none.
[[nodiscard]] double published_milliseconds(std::string_view method, std::string_view workload);

}  // namespace berth::launcher
