// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "glpk_program.hpp"

namespace berth::nest {

/// An integer program that schedules the operators of one layer, as Nest writes them (and Berth's
/// spec of the compact form): least T over starts t<i>, durations p<i> = one - gain y<i>,
/// exclusiveness y<i>, orders x<i>_<j>, and where cores count zTC<i>_<c>, zVC<i>_<c>.
///
/// Read back as an operator graph, such a program is solved as graphs are, list schedule first. The
/// rows that were understood make the graph: those that were not can only narrow the program, so a
/// bound on the graph's makespan is one on T, and a schedule must be checked against all of them.
class SchedulingProgram {
 public:
  /// Nothing if a column is not of that form, or operators that exclusiveness or cores keep apart
  /// in the graph have no rows for it in the program: then the bound need not hold.
  [[nodiscard]] static std::optional<SchedulingProgram> read(const GlpkProgram& program);

  /// Times in seconds of the program's microseconds. Without cores in the program there are as many
  /// as operators.
  [[nodiscard]] const OperatorGraph& graph() const noexcept { return graph_; }

  /// The columns of the program, [columns + 1], for a schedule of the graph.
  [[nodiscard]] std::vector<double> values_of(const OperatorSchedule& schedule) const;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  struct Columns {
    int start = 0;
    int duration = 0;
    int alone = 0;
    std::map<std::uint32_t, int> matrix, vector;  // [core]
  };

  bool read_columns(const GlpkProgram& program);
  void read_row(const GlpkProgram::Row& row);
  bool read_end(const GlpkProgram::Row& row);
  bool read_precedence(const GlpkProgram::Row& row);
  bool read_duration(const GlpkProgram::Row& row);
  bool read_order(const GlpkProgram::Row& row);
  bool read_pair(const GlpkProgram::Row& row);
  bool read_core(const GlpkProgram::Row& row);
  bool make_graph();
  [[nodiscard]] bool all_pairs_apart() const;
  void put_cores(const OperatorSchedule& schedule, std::vector<double>& values) const;

  OperatorGraph graph_;
  int columns_count_ = 0;
  int makespan_ = 0;
  std::vector<std::uint32_t> order_;                    // [operators] place in columns_
  std::vector<Columns> columns_;                        // by number of appearance
  std::map<std::string, std::uint32_t> number_;         // of the program's id
  std::map<int, std::pair<char, std::uint32_t>> role_;  // of a column
  std::map<int, Pair> pair_;                            // of an order column
  std::map<Pair, int> before_;
  std::vector<double> one_, gain_;  // microseconds
  std::set<Pair> edges_;
  std::set<Pair> ordered_;                // with a row that keeps the order
  std::set<std::pair<Pair, int>> apart_;  // (a < b, column of exclusiveness or core of a)
  std::set<int> forbidden_;               // core columns that are fixed to 0
  std::vector<bool> ends_, has_duration_, has_core_;
};

}  // namespace berth::nest
