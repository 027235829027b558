// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "jobshop_text.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "integer_lines.hpp"
#include "numbers.hpp"
#include "reader_support.hpp"

namespace berth::datasets {
Graph read_jobshop(const SourceText& source, Logger& logger) {
  LineReader lines(source.text);
  const auto header = number_line(source, lines, "the numbers of jobs and devices");
  if (header.size() != 2 || header[0] != std::trunc(header[0]) || header[0] > kMaxHeaderCount ||
      header[1] != std::trunc(header[1]) || header[1] < 1.0 ||
      header[1] > static_cast<double>(kMaxDevices)) {
    fail_at(
        source,
        lines.number(),
        shown(trimmed(lines.line())) + "; expected the numbers of jobs and devices (1 to 4096)");
  }
  const auto devices = static_cast<std::size_t>(header[1]);
  GraphBuilder builder(source.stem());
  for (double job = 0.0; job < header[0]; ++job) {
    const std::string name = "job" + std::to_string(static_cast<std::uint64_t>(job));
    const auto row = number_line(source, lines, name + ": pairs of device and duration");
    if (row.size() % 2 != 0) {
      fail_at(source,
              lines.number(),
              std::to_string(row.size()) + " numbers; expected pairs of device and duration");
    }
    for (std::size_t i = 0; i < row.size(); i += 2) {
      const std::uint64_t device = id_below(source, lines, row[i], devices, "device");
      OpSpec op;
      op.name = name + "." + std::to_string(i / 2);
      op.work = row[i + 1];
      op.device_time.assign(devices, std::numeric_limits<double>::infinity());
      op.device_time[device] = row[i + 1];
      op.eligible = {to_id<DeviceId>(device)};
      add_op_at(builder, std::move(op), source, lines.number());
      if (i > 0) {
        const std::uint64_t v = builder.num_ops() - 1;
        add_edge_at(builder, v - 1, v, 0.0, source, lines.number());
      }
    }
  }
  if (lines.next_content()) {
    fail_at(source, lines.number(), shown(trimmed(lines.line())) + " after the last job");
  }
  return freeze(builder, source, logger);
}

}  // namespace berth::datasets
