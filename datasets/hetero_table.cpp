// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "hetero_table.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "numbers.hpp"
#include "reader_support.hpp"

namespace berth::datasets {
namespace {

/// "3: a, b, c" as the numbers after the colon; the number before it must be `id`.
std::vector<double> labelled_row(const SourceText& source,
                                 const LineReader& lines,
                                 std::size_t id,
                                 const char* expected) {
  const std::string_view line = lines.line();
  const std::size_t colon = line.find(':');
  const auto label = parse_count(trimmed(line.substr(0, colon)));
  if (colon == std::string_view::npos || !label || *label != id) {
    fail_at(source,
            lines.number(),
            shown(trimmed(line)) + "; expected '" + std::to_string(id) + ": " + expected + "'");
  }
  std::vector<double> values;
  for (const std::string_view token : split(line.substr(colon + 1), ", \t")) {
    const auto value = parse_real(token);
    if (!value) {
      fail_at(source, lines.number(), shown(token) + " is not a number");
    }
    values.push_back(*value);
  }
  return values;
}

void read_task(const SourceText& source, const LineReader& lines, GraphBuilder& builder) {
  OpSpec op;
  op.device_time = labelled_row(source, lines, builder.num_ops(), "time, time, ...");
  if (op.device_time.empty()) {
    fail_at(source, lines.number(), "no time; expected one for each device");
  }
  op.work = *std::min_element(op.device_time.begin(), op.device_time.end());
  add_op_at(builder, std::move(op), source, lines.number());
}

void read_edge(const SourceText& source,
               const LineReader& lines,
               std::size_t edge,
               GraphBuilder& builder) {
  const auto row = labelled_row(source, lines, edge, "from, to, cost");
  const auto is_id = [](double value) {
    return value >= 0.0 && value <= 1e9 &&
           value == static_cast<double>(static_cast<std::uint64_t>(value));
  };
  if (row.size() != 3 || !is_id(row[0]) || !is_id(row[1])) {
    fail_at(source, lines.number(), shown(trimmed(lines.line())) + "; expected 'from, to, cost'");
  }
  add_edge_at(builder,
              static_cast<std::uint64_t>(row[0]),
              static_cast<std::uint64_t>(row[1]),
              row[2],
              source,
              lines.number());
}

}  // namespace

Graph read_hetero_table(const SourceText& source, Logger& logger) {
  GraphBuilder builder(source.stem());
  LineReader lines(source.text);
  std::string section;
  std::size_t edges = 0;
  while (section != "#end" && lines.next()) {
    const std::string_view line = trimmed(lines.line());
    if (line.empty()) {
      continue;
    }
    if (line.starts_with('#')) {
      if (line != "#critical" && line != "#tasks" && line != "#edges" && line != "#end") {
        fail_at(
            source, lines.number(), shown(line) + "; expected #critical, #tasks, #edges or #end");
      }
      section = line;
    } else if (section == "#tasks") {
      read_task(source, lines, builder);
    } else if (section == "#edges") {
      read_edge(source, lines, edges++, builder);
    } else if (section != "#critical") {
      fail_at(source, lines.number(), shown(line) + "; expected a section such as #tasks");
    }
  }
  if (section != "#end") {
    fail_at(source, lines.number() + 1, "the file ends; expected #end");
  }
  return freeze(builder, source, logger);
}

}  // namespace berth::datasets
