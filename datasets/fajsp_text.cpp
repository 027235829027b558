// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "fajsp_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "integer_lines.hpp"
#include "numbers.hpp"
#include "reader_support.hpp"

namespace berth::datasets {
namespace {

struct Precedence {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::size_t line = 0;
};

OpSpec read_op(const SourceText& source, LineReader& lines, std::size_t op, std::size_t devices) {
  const auto row = number_line(source, lines, "the devices of op " + std::to_string(op));
  if (row[0] < 1.0 || row.size() % 2 == 0 || row[0] != static_cast<double>(row.size() / 2)) {
    fail_at(source,
            lines.number(),
            shown(trimmed(lines.line())) +
                "; expected a count >= 1, then as many pairs of device "
                "and duration");
  }
  OpSpec spec;
  spec.device_time.assign(devices, std::numeric_limits<double>::infinity());
  spec.work = row[2];
  for (std::size_t i = 1; i < row.size(); i += 2) {
    const std::uint64_t device = id_below(source, lines, row[i], devices, "device");
    if (!std::isinf(spec.device_time[device])) {
      fail_at(source, lines.number(), "device " + std::to_string(device) + " stands twice");
    }
    spec.device_time[device] = row[i + 1];
    spec.work = std::min(spec.work, row[i + 1]);
  }
  for (std::size_t d = 0; d < devices; ++d) {
    if (!std::isinf(spec.device_time[d])) {
      spec.eligible.push_back(to_id<DeviceId>(d));
    }
  }
  return spec;
}

}  // namespace

Graph read_fajsp(const SourceText& source, Logger& logger) {
  LineReader lines(source.text);
  const char* const expected = "ops, precedences and devices";
  const auto header = number_line(source, lines, expected);
  const bool counts = header.size() == 3 && std::all_of(header.begin(), header.end(), [](double n) {
                        return n == std::trunc(n) && n <= kMaxHeaderCount;
                      });
  if (!counts || header[2] < 1.0 || header[2] > static_cast<double>(kMaxDevices)) {
    fail_at(source,
            lines.number(),
            shown(trimmed(lines.line())) + "; expected " + expected + " (1 to 4096)");
  }
  const auto ops = static_cast<std::uint64_t>(header[0]);
  std::vector<Precedence> precedences;
  for (double i = 0.0; i < header[1]; ++i) {
    const auto row = number_line(source, lines, "a precedence: from, to, job");
    if (row.size() != 3) {
      fail_at(source, lines.number(), shown(trimmed(lines.line())) + "; expected from, to, job");
    }
    precedences.push_back({id_below(source, lines, row[0], ops, "op"),
                           id_below(source, lines, row[1], ops, "op"),
                           lines.number()});
  }
  GraphBuilder builder(source.stem());
  for (std::uint64_t v = 0; v < ops; ++v) {
    add_op_at(builder,
              read_op(source, lines, v, static_cast<std::size_t>(header[2])),
              source,
              lines.number());
  }
  if (lines.next_content()) {
    fail_at(source, lines.number(), shown(trimmed(lines.line())) + " after the last op");
  }
  for (const Precedence& precedence : precedences) {
    add_edge_at(builder, precedence.from, precedence.to, 0.0, source, precedence.line);
  }
  return freeze(builder, source, logger);
}

}  // namespace berth::datasets
