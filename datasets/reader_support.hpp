// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>
#include <unordered_set>

#include "berth/graph.hpp"
#include "berth/logger.hpp"

#include "source_text.hpp"

namespace berth::datasets {

/// Counts names that an earlier op has: labels may repeat, but the user should know.
class NameTally {
 public:
  void add(const std::string& name);
  /// One warning if any name repeats.
  void warn(const SourceText& source, Logger& logger) const;

 private:
  std::unordered_set<std::string> seen_;
  std::size_t repeated_ = 0;
  std::string first_;
};

/// Freezes, passes the builder's warnings on, and puts the file in front of its errors.
[[nodiscard]] Graph freeze(GraphBuilder& builder, const SourceText& source, Logger& logger);

/// Adds an op or edge that stands on `line`, and puts the place in front of the builder's errors.
void add_op_at(GraphBuilder& builder, OpSpec spec, const SourceText& source, std::size_t line);
void add_edge_at(GraphBuilder& builder,
                 std::uint64_t from,
                 std::uint64_t to,
                 double size,
                 const SourceText& source,
                 std::size_t line);

/// Throws InputError with the graph's name unless `holds`; "format" and "what" stand in the line.
void require_holdable(const Graph& graph, const char* format, bool holds, const std::string& what);

[[nodiscard]] bool is_zero(std::span<const double> column);

}  // namespace berth::datasets
