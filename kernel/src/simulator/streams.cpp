// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "streams.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include "berth/error.hpp"

namespace berth::internal {

void assign_streams(Trace& trace, std::size_t devices, std::size_t streams) {
  if (streams == 1) {
    return;
  }
  std::vector<std::size_t> by_start(trace.ops.size());
  std::iota(by_start.begin(), by_start.end(), std::size_t{0});
  std::sort(by_start.begin(), by_start.end(), [&trace](std::size_t a, std::size_t b) {
    const OpInterval& x = trace.ops[a];
    const OpInterval& y = trace.ops[b];
    return std::tie(x.start, x.finish, a) < std::tie(y.start, y.finish, b);
  });
  // More streams than ops cannot all be busy.
  const std::size_t width = std::min(streams, trace.ops.size());
  std::vector<std::vector<double>> until(devices);
  for (const std::size_t v : by_start) {
    OpInterval& op = trace.ops[v];
    std::vector<double>& busy = until[index(op.device)];
    std::size_t stream = 0;
    while (stream < busy.size() && busy[stream] > op.start) {
      ++stream;
    }
    BERTH_CHECK(stream < width, "a device runs at most its number of streams at once");
    if (stream == busy.size()) {
      busy.push_back(0.0);
    }
    busy[stream] = op.finish;
    op.stream = static_cast<std::uint32_t>(stream);
  }
}

}  // namespace berth::internal
