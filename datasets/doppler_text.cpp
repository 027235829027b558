// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "doppler_text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "berth/error.hpp"

#include "numbers.hpp"
#include "reader_support.hpp"

namespace berth::datasets {
namespace {

constexpr std::string_view kSeparators = " ,\t";

/// All integers of the next line.
std::vector<std::uint64_t> integer_line(const SourceText& source,
                                        LineReader& lines,
                                        const char* what) {
  if (!lines.next()) {
    fail_at(source, lines.number() + 1, std::string("the file ends; expected ") + what);
  }
  std::vector<std::uint64_t> values;
  for (const std::string_view token : split(lines.line(), kSeparators)) {
    const auto value = parse_count(token);
    if (!value) {
      fail_at(source,
              lines.number(),
              shown(token) + " is not an integer from 0 to 2^53; expected " + what);
    }
    values.push_back(*value);
  }
  return values;
}

/// Reads the line `comp,comm[,type]` of every node; returns comm by node.
std::vector<double> read_nodes(const SourceText& source,
                               LineReader& lines,
                               std::uint64_t count,
                               GraphBuilder& builder) {
  std::vector<double> comm;
  while (lines.next()) {
    const auto tokens = split(lines.line(), kSeparators);
    if (tokens.empty()) {
      continue;
    }
    const auto work = parse_count(tokens[0]);
    const auto size = tokens.size() > 1 ? parse_count(tokens[1]) : std::nullopt;
    if (tokens.size() > 3 || !work || !size) {
      fail_at(source,
              lines.number(),
              shown(trimmed(lines.line())) +
                  "; expected comp,comm or comp,comm,type with integers from 0 to 2^53");
    }
    if (comm.size() == count) {
      fail_at(source,
              lines.number(),
              "one more node; line 1 and line 2 leave " + std::to_string(count) +
                  " nodes that are no inputs");
    }
    OpSpec op;
    op.work = static_cast<double>(*work);
    op.output_bytes = static_cast<double>(*size);
    op.kind = tokens.size() > 2 ? std::string(tokens[2]) : std::string();
    comm.push_back(op.output_bytes);
    add_op_at(builder, std::move(op), source, lines.number());
  }
  if (comm.size() < count) {
    fail_at(source,
            lines.number(),
            "the file ends after " + std::to_string(comm.size()) + " nodes; expected " +
                std::to_string(count));
  }
  return comm;
}

bool is_exact_integer(double value) {
  return value == std::trunc(value) && value <= static_cast<double>(kMaxExactInteger);
}

double comm_of(const Graph& graph, std::size_t v) {
  const std::uint64_t first = graph.out_offsets()[v];
  const double size =
      first < graph.out_offsets()[v + 1] ? graph.edge_size()[first] : graph.output_bytes()[v];
  for (std::uint64_t e = first; e < graph.out_offsets()[v + 1]; ++e) {
    require_holdable(graph,
                     "DOPPLER text",
                     graph.edge_size()[e] == size,
                     "edges of different size from " + graph.op_name(to_id<OpId>(v)));
  }
  return size;
}

}  // namespace

Graph read_doppler_text(const SourceText& source, Logger& logger) {
  LineReader lines(source.text);
  const auto header = integer_line(source, lines, "the number of nodes");
  if (header.size() != 1) {
    fail_at(source, 1, std::to_string(header.size()) + " numbers; expected the number of nodes");
  }
  const auto inputs = integer_line(source, lines, "the ids of the input nodes");
  if (inputs.size() > header[0]) {
    fail_at(source,
            2,
            std::to_string(inputs.size()) + " input nodes; line 1 has " +
                std::to_string(header[0]) + " nodes in all");
  }
  const auto from = integer_line(source, lines, "the sources of the edges");
  const auto to = integer_line(source, lines, "the destinations of the edges");
  if (from.size() != to.size()) {
    fail_at(source,
            4,
            std::to_string(to.size()) + " destinations; line 3 has " + std::to_string(from.size()) +
                " sources");
  }
  GraphBuilder builder(source.stem());
  builder.cost_basis(CostBasis::kTime, kDopplerSecondsPerUnit);
  const std::vector<double> comm = read_nodes(source, lines, header[0] - inputs.size(), builder);
  for (std::size_t e = 0; e < from.size(); ++e) {
    const double size = from[e] < comm.size() ? comm[from[e]] : 0.0;
    add_edge_at(builder, from[e], to[e], size, source, 3);
  }
  return freeze(builder, source, logger);
}

std::string write_doppler_text(const Graph& graph) {
  require_holdable(graph, "DOPPLER text", graph.cost_basis() == CostBasis::kTime, "physical costs");
  require_holdable(graph,
                   "DOPPLER text",
                   graph.seconds_per_unit() == kDopplerSecondsPerUnit,
                   "time units other than 1e-13 s");
  require_holdable(graph,
                   "DOPPLER text",
                   graph.table_devices() == 0 && !graph.has_eligibility(),
                   "times or eligibility by device");
  require_holdable(graph,
                   "DOPPLER text",
                   is_zero(graph.memory_bytes()) && is_zero(graph.touched_bytes()),
                   "memory or touched bytes");
  std::string from;
  std::string to;
  std::string nodes;
  const bool typed =
      graph.kinds().size() > 1 || (graph.kinds().size() == 1 && graph.kinds()[0] != "unknown");
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    const auto op = to_id<OpId>(v);
    const double comm = comm_of(graph, v);
    require_holdable(graph,
                     "DOPPLER text",
                     is_exact_integer(graph.work()[v]) && is_exact_integer(comm),
                     "the fractional or huge cost of " + graph.op_name(op));
    nodes += number_text(graph.work()[v]) + "," + number_text(comm);
    if (typed) {
      require_holdable(graph,
                       "DOPPLER text",
                       graph.kind(op).find_first_of(" ,\t\r\n") == std::string::npos,
                       "the kind " + shown(graph.kind(op)));
      nodes += "," + graph.kind(op);
    }
    nodes += "\n";
    for (const OpId successor : graph.successors(op)) {
      from += std::to_string(v) + ",";
      to += std::to_string(index(successor)) + ",";
    }
  }
  return std::to_string(graph.num_ops()) + "\n\n" + from + "\n" + to + "\n" + nodes;
}

}  // namespace berth::datasets
