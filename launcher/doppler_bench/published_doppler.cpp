// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_bench/published_doppler.hpp"

#include <array>

namespace berth::launcher {

std::span<const PublishedRow> published_doppler() {
  static constexpr std::array kRows = {
      PublishedRow{"critical-path", 230.4, 217.8, 230.9, 292.6},
      PublishedRow{"placeto", 137.1, 126.3, 411.5, 295.1},
      PublishedRow{"gdp", 198.0, 100.3, 336.5, 231.5},
      PublishedRow{"enumopt", 139.0, 50.2, 172.7, 174.8},
      PublishedRow{"doppler", 122.5, 49.9, 191.5, 167.0},
      PublishedRow{"doppler-sys", 123.4, 47.4, 160.3, 150.6},
      PublishedRow{"doppler-sel", 127.0, 59.1, 175.6, 161.7},
      PublishedRow{"doppler-plc", 121.6, 63.2, 172.9, 159.5},
  };
  return kRows;
}

double published_milliseconds(std::string_view method, std::string_view workload) {
  for (const PublishedRow& row : published_doppler()) {
    if (row.method == method) {
      return workload == "chain-mm"      ? row.chain
             : workload == "ffnn"        ? row.ffnn
             : workload == "llama-block" ? row.block
             : workload == "llama-layer" ? row.layer
                                         : 0.0;
    }
  }
  return 0.0;
}

}  // namespace berth::launcher
