// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "stg_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "berth/error.hpp"

#include "integer_lines.hpp"
#include "numbers.hpp"
#include "reader_support.hpp"

namespace berth::datasets {
namespace {

struct Dependency {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::size_t line = 0;
};

/// Op 0 is the only source, the last op the only sink, and both cost nothing.
bool has_dummies(const Graph& graph) {
  const std::size_t n = graph.num_ops();
  if (n < 2 || graph.work()[0] != 0.0 || graph.work()[n - 1] != 0.0) {
    return false;
  }
  for (std::size_t v = 0; v < n; ++v) {
    const auto op = to_id<OpId>(v);
    if (graph.predecessors(op).empty() != (v == 0) ||
        graph.successors(op).empty() != (v == n - 1)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Graph read_stg(const SourceText& source, Logger& logger) {
  LineReader lines(source.text);
  const std::string count_text = "the number of tasks without the two dummies";
  const auto header = number_line(source, lines, count_text);
  if (header.size() != 1 || header[0] != std::trunc(header[0]) || header[0] > kMaxHeaderCount) {
    fail_at(source, lines.number(), shown(trimmed(lines.line())) + "; expected " + count_text);
  }
  const auto ops = static_cast<std::uint64_t>(header[0]) + 2;
  GraphBuilder builder(source.stem());
  std::vector<Dependency> dependencies;
  for (std::uint64_t v = 0; v < ops; ++v) {
    const auto row =
        number_line(source, lines, "task " + std::to_string(v) + " of " + std::to_string(ops));
    if (row.size() < 3 || row[0] != static_cast<double>(v) ||
        row[2] != static_cast<double>(row.size() - 3)) {
      fail_at(source,
              lines.number(),
              shown(trimmed(lines.line())) + "; expected task " + std::to_string(v) +
                  ": id, time, number of predecessors and their ids");
    }
    OpSpec op;
    op.work = row[1];
    add_op_at(builder, std::move(op), source, lines.number());
    for (std::size_t i = 3; i < row.size(); ++i) {
      dependencies.push_back(
          {id_below(source, lines, row[i], ops, "predecessor"), v, lines.number()});
    }
  }
  if (lines.next_content()) {
    fail_at(source,
            lines.number(),
            shown(trimmed(lines.line())) + " after task " + std::to_string(ops - 1) +
                "; expected the end or a comment");
  }
  for (const Dependency& dependency : dependencies) {
    add_edge_at(builder, dependency.from, dependency.to, 0.0, source, dependency.line);
  }
  return freeze(builder, source, logger);
}

std::string write_stg(const Graph& graph) {
  require_holdable(graph, "STG", graph.cost_basis() == CostBasis::kTime, "physical costs");
  require_holdable(graph, "STG", graph.seconds_per_unit() == 1.0, "time units other than seconds");
  require_holdable(graph,
                   "STG",
                   graph.table_devices() == 0 && !graph.has_eligibility(),
                   "times or eligibility by device");
  require_holdable(graph, "STG", is_zero(graph.edge_size()), "edge sizes");
  require_holdable(graph,
                   "STG",
                   is_zero(graph.memory_bytes()) && is_zero(graph.output_bytes()) &&
                       is_zero(graph.touched_bytes()),
                   "bytes");
  require_holdable(graph,
                   "STG",
                   std::all_of(graph.kinds().begin(),
                               graph.kinds().end(),
                               [](const std::string& kind) { return kind == "unknown"; }),
                   "op kinds");
  require_holdable(graph,
                   "STG",
                   has_dummies(graph),
                   "a graph without an entry op 0 and an exit op n+1 of zero cost");
  std::string out = std::to_string(graph.num_ops() - 2) + "\n";
  for (std::size_t v = 0; v < graph.num_ops(); ++v) {
    const auto predecessors = graph.predecessors(to_id<OpId>(v));
    out += std::to_string(v) + " " + number_text(graph.work()[v]) + " " +
           std::to_string(predecessors.size());
    for (const OpId predecessor : predecessors) {
      out += " " + std::to_string(index(predecessor));
    }
    out += "\n";
  }
  return out;
}

}  // namespace berth::datasets
