// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "reader_support.hpp"

#include <algorithm>

#include "berth/error.hpp"

#include "json_text.hpp"

namespace berth::datasets {

void NameTally::add(const std::string& name) {
  if (name.empty() || seen_.insert(name).second) {
    return;
  }
  if (repeated_++ == 0) {
    first_ = name;
  }
}

void NameTally::warn(const SourceText& source, Logger& logger) const {
  if (repeated_ > 0) {
    logger.warning(source.place + ": " + std::to_string(repeated_) +
                   " ops repeat an earlier name, first: " + shown(first_) +
                   "; names are labels, ops are told apart by id");
  }
}

Graph freeze(GraphBuilder& builder, const SourceText& source, Logger& logger) {
  try {
    Graph graph = builder.freeze();
    for (const std::string& kind : graph.kinds()) {
      if (!is_utf8(kind)) {  // kinds enter the hash, and no JSON could keep this one
        throw InputError("kind " + shown(kind) + " is not UTF-8; expected UTF-8 text");
      }
    }
    for (const std::string& warning : builder.warnings()) {
      logger.warning(source.place + ": " + warning);
    }
    return graph;
  } catch (const Error& error) {
    rethrow_with_context(error, source.place);
  }
}

void add_op_at(GraphBuilder& builder, OpSpec spec, const SourceText& source, std::size_t line) {
  try {
    builder.add_op(std::move(spec));
  } catch (const Error& error) {
    rethrow_with_context(error, source.place + ":" + std::to_string(line));
  }
}

void add_edge_at(GraphBuilder& builder,
                 std::uint64_t from,
                 std::uint64_t to,
                 double size,
                 const SourceText& source,
                 std::size_t line) {
  const std::size_t ops = builder.num_ops();
  for (const std::uint64_t id : {from, to}) {
    if (id >= ops) {
      fail_at(source,
              line,
              "edge " + std::to_string(from) + " -> " + std::to_string(to) + ": no op " +
                  std::to_string(id) + "; the file has " + std::to_string(ops) + " ops");
    }
  }
  try {
    builder.add_edge(to_id<OpId>(from), to_id<OpId>(to), size);
  } catch (const Error& error) {
    rethrow_with_context(error, source.place + ":" + std::to_string(line));
  }
}

void require_holdable(const Graph& graph, const char* format, bool holds, const std::string& what) {
  if (!holds) {
    throw InputError("graph '" + graph.name() + "': " + format + " cannot hold " + what +
                     "; write it as 'berth'");
  }
}

bool is_zero(std::span<const double> column) {
  return std::all_of(column.begin(), column.end(), [](double value) { return value == 0.0; });
}

}  // namespace berth::datasets
