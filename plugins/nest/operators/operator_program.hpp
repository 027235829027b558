// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "glpk_program.hpp"
#include "list_schedule.hpp"

namespace berth::nest {

/// The integer program of an operator graph, times in microseconds:
///
///   least T,  t_v in [head_v, U - tail_v],  y_v = 1: v runs alone on all cores,
///   p_v = one_v - (one_v - all_v) y_v
///   t_w >= t_v + p_v for an edge of the transitive reduction; T >= t_v + p_v
///   x_vw = 1: v ends before w starts, for incomparable pairs of which one may run alone
///   x_vw + x_wv >= y_v, y_w;   t_w >= t_v + p_v - M (1 - x_vw),  M from the time windows
///
/// Nest's own program has an order for every ordered pair and transitivity for every triple; both
/// follow from the start times. Two families of rows make the relaxation tight. While an operator
/// runs alone nothing else does, so with E = sum of all_v y_v:
///
///   T >= E + sum over a chain of one_v (1 - y_v)      for every chain, by potentials q_v
///   T >= E + sum of one_v (1 - y_v) / cores           for either kind of core
///
/// Core counts are not modelled; forbid() adds what a solution violates (minimal forbidden sets,
/// Igelmund and Radermacher 1983), so the optimum stays a lower bound at any time.
class OperatorProgram {
 public:
  /// @param upper a makespan that is not to be exceeded, in seconds.
  OperatorProgram(const OperatorGraph& graph, const OperatorOrder& order, double upper);

  [[nodiscard]] GlpkProgram& program() { return program_; }

  /// The values of all columns for a schedule whose makespan is at most `upper`.
  [[nodiscard]] std::vector<double> values_of(const OperatorSchedule& schedule) const;

  /// Which operators run alone, and their start times in seconds, from values of the columns.
  [[nodiscard]] std::vector<std::uint8_t> alone_in(std::span<const double> values) const;
  [[nodiscard]] std::vector<double> starts_in(std::span<const double> values) const;

  /// Finds operators that run at once in `values` on more cores than there are and adds a row for
  /// each such set. @return how many were added.
  std::size_t forbid(std::span<const double> values);

 private:
  [[nodiscard]] double one(std::size_t v) const;
  [[nodiscard]] double gain(std::size_t v) const;  // one - all where running alone is a choice
  // t_v + p_v as terms, with the constant that belongs to them.
  [[nodiscard]] double add_end(GlpkProgram::Terms& terms, std::size_t v, double sign) const;
  void add_load_rows();
  void add_pair(std::uint32_t v, std::uint32_t w);

  const OperatorGraph& graph_;
  const OperatorOrder& order_;
  double upper_;  // microseconds
  GlpkProgram program_;
  int makespan_ = 0;
  std::vector<int> start_;
  std::vector<int> alone_;      // 0: running alone is no choice
  std::vector<int> potential_;  // q_v
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> before_;
};

}  // namespace berth::nest
