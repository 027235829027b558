// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "scheduling_program.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "list_schedule.hpp"

namespace berth::nest {
namespace {

using Row = GlpkProgram::Row;

// "12" or "12_3" whole.
bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

double coefficient(const Row& row, int column) {
  for (const auto& [at, value] : row.terms) {
    if (at == column) {
      return value;
    }
  }
  return 0.0;
}

// Turns "... <= b" around, so that rows have a lower bound alone.
Row at_least(Row row) {
  if (std::isinf(row.lower)) {
    std::swap(row.lower, row.upper);
    row.lower = -row.lower;
    row.upper = -row.upper;
    for (auto& term : row.terms) {
      term.second = -term.second;
    }
  }
  return row;
}

}  // namespace

std::optional<SchedulingProgram> SchedulingProgram::read(const GlpkProgram& program) {
  SchedulingProgram found;
  if (!found.read_columns(program)) {
    return std::nullopt;
  }
  for (int i = 1; i <= program.rows(); ++i) {
    found.read_row(program.row(i));
  }
  if (!found.make_graph() || !found.all_pairs_apart()) {
    return std::nullopt;
  }
  return found;
}

bool SchedulingProgram::read_columns(const GlpkProgram& program) {
  columns_count_ = program.columns();
  const auto number = [&](std::string_view id) {
    const auto [at, fresh] = number_.emplace(id, static_cast<std::uint32_t>(columns_.size()));
    if (fresh) {
      columns_.emplace_back();
    }
    return at->second;
  };
  std::vector<std::pair<int, std::pair<std::string, std::string>>> orders;
  for (int j = 1; j <= columns_count_; ++j) {
    const std::string name = program.column_name(j);
    const std::string_view rest = std::string_view(name).substr(1);
    const std::size_t bar = name.find('_');
    if (program.cost(j) != (name == "T" ? 1.0 : 0.0)) {
      return false;
    }
    if (name == "T") {
      makespan_ = j;
    } else if ((name[0] == 't' || name[0] == 'p' || name[0] == 'y') && is_number(rest)) {
      const std::uint32_t v = number(rest);
      (name[0] == 't'   ? columns_[v].start
       : name[0] == 'p' ? columns_[v].duration
                        : columns_[v].alone) = j;
      role_[j] = {name[0], v};
    } else if (name[0] == 'x' && bar != std::string::npos &&
               is_number(std::string_view(name).substr(1, bar - 1)) &&
               is_number(std::string_view(name).substr(bar + 1))) {
      orders.emplace_back(j, std::pair(name.substr(1, bar - 1), name.substr(bar + 1)));
    } else if ((name.starts_with("zTC") || name.starts_with("zVC")) && bar != std::string::npos &&
               is_number(std::string_view(name).substr(3, bar - 3)) &&
               is_number(std::string_view(name).substr(bar + 1))) {
      const std::uint32_t v = number(std::string_view(name).substr(3, bar - 3));
      const auto core = static_cast<std::uint32_t>(std::stoul(name.substr(bar + 1)));
      (name[1] == 'T' ? columns_[v].matrix : columns_[v].vector)[core] = j;
      role_[j] = {'z', v};
    } else {
      return false;
    }
  }
  for (const auto& [j, ids] : orders) {
    const auto from = number_.find(ids.first);
    const auto to = number_.find(ids.second);
    if (from == number_.end() || to == number_.end() || from->second == to->second) {
      return false;
    }
    pair_[j] = {from->second, to->second};
    before_[pair_[j]] = j;
    role_[j] = {'x', 0};
  }
  const std::size_t count = columns_.size();
  one_.assign(count, 0.0);
  gain_.assign(count, 0.0);
  ends_.assign(count, false);
  has_duration_.assign(count, false);
  has_core_.assign(count, false);
  return makespan_ != 0 && program.is_minimum() &&
         std::ranges::all_of(columns_, [](const Columns& c) {
           return c.start != 0 && c.duration != 0 && c.alone != 0;
         });
}

void SchedulingProgram::read_row(const Row& original) {
  const Row row = at_least(original);
  if (row.terms.size() == 1 && row.lower == 0.0 && row.upper == 0.0) {
    forbidden_.insert(row.terms[0].first);
  }
  static_cast<void>(read_duration(row) ||
                    (std::isinf(row.upper) && (read_end(row) || read_precedence(row) ||
                                               read_order(row) || read_pair(row))) ||
                    read_core(row));
}

// p + gain y = one.
bool SchedulingProgram::read_duration(const Row& row) {
  if (row.lower != row.upper || row.terms.empty() || row.terms.size() > 2) {
    return false;
  }
  const auto role = role_.find(row.terms[0].first);
  if (role == role_.end() || (role->second.first != 'p' && role->second.first != 'y')) {
    return false;
  }
  const std::uint32_t v = role->second.second;
  const double scale = coefficient(row, columns_[v].duration);
  for (const auto& [column, value] : row.terms) {
    if (column != columns_[v].duration && column != columns_[v].alone) {
      return false;
    }
  }
  if (scale == 0.0 || has_duration_[v]) {
    return false;
  }
  has_duration_[v] = true;
  one_[v] = row.lower / scale;
  gain_[v] = coefficient(row, columns_[v].alone) / scale;
  return true;
}

// T - t - p >= 0.
bool SchedulingProgram::read_end(const Row& row) {
  if (row.lower != 0.0 || row.terms.size() != 3 || coefficient(row, makespan_) != 1.0) {
    return false;
  }
  for (std::uint32_t v = 0; v < columns_.size(); ++v) {
    if (coefficient(row, columns_[v].start) == -1.0 &&
        coefficient(row, columns_[v].duration) == -1.0) {
      ends_[v] = true;
      return true;
    }
  }
  return false;
}

// t_w - t_v - p_v >= 0.
bool SchedulingProgram::read_precedence(const Row& row) {
  if (row.lower != 0.0 || row.terms.size() != 3) {
    return false;
  }
  std::optional<std::uint32_t> from;
  std::optional<std::uint32_t> to;
  for (const auto& [column, value] : row.terms) {
    const auto role = role_.find(column);
    if (role == role_.end()) {
      return false;
    }
    const auto [letter, v] = role->second;
    if (letter == 't' && value == 1.0) {
      to = v;
    } else if (letter == 't' && value == -1.0 && coefficient(row, columns_[v].duration) == -1.0) {
      from = v;
    }
  }
  if (!from || !to) {
    return false;
  }
  edges_.insert({*from, *to});
  return true;
}

// t_w - t_v - p_v - M x_vw >= -M, and M no less than any schedule worth having is long.
bool SchedulingProgram::read_order(const Row& row) {
  if (row.terms.size() != 4) {
    return false;
  }
  for (const auto& [column, value] : row.terms) {
    const auto at = pair_.find(column);
    if (at == pair_.end()) {
      continue;
    }
    const auto [v, w] = at->second;
    const bool shaped = coefficient(row, columns_[w].start) == 1.0 &&
                        coefficient(row, columns_[v].start) == -1.0 &&
                        coefficient(row, columns_[v].duration) == -1.0;
    if (!shaped || value != row.lower) {
      return false;
    }
    ordered_.insert(at->second);
    return true;
  }
  return false;
}

// x_vw + x_wv >= y_v, or >= z_vc + z_wc - 1, or <= 1.
bool SchedulingProgram::read_pair(const Row& row) {
  std::optional<Pair> both;
  double orders = 0.0;
  for (const auto& [column, value] : row.terms) {
    if (const auto at = pair_.find(column); at != pair_.end()) {
      const Pair pair = std::minmax(at->second.first, at->second.second);
      if (both && *both != pair) {
        return false;
      }
      both = pair;
      orders += value;
    }
  }
  if (!both) {
    return false;
  }
  if (row.terms.size() == 2) {  // at most one of them
    return orders == -2.0 && row.lower == -1.0;
  }
  if (orders != 2.0 || (row.terms.size() == 3 ? row.lower != 0.0 : row.lower != -1.0)) {
    return false;
  }
  for (const auto& [column, value] : row.terms) {
    if (!pair_.contains(column)) {
      const auto role = role_.find(column);
      const bool known = role != role_.end() && value == -1.0 &&
                         role->second.first == (row.terms.size() == 3 ? 'y' : 'z');
      if (!known) {
        return false;
      }
      apart_.insert({*both, column});
    }
  }
  return row.terms.size() <= 4;
}

// The cores of one kind, or running alone: sum of z + y = 1.
bool SchedulingProgram::read_core(const Row& row) {
  if (row.lower != 1.0 || row.upper != 1.0) {
    return false;
  }
  std::optional<std::uint32_t> own;
  for (const auto& [column, value] : row.terms) {
    const auto role = role_.find(column);
    if (role == role_.end() || value != 1.0 ||
        (role->second.first != 'z' && role->second.first != 'y') ||
        (own && *own != role->second.second)) {
      return false;
    }
    own = role->second.second;
  }
  has_core_[*own] = true;
  return true;
}

// Operators in topological order; their numbers break ties.
bool SchedulingProgram::make_graph() {
  const std::size_t count = columns_.size();
  const bool cores = std::ranges::any_of(has_core_, [](bool has) { return has; });
  std::vector<std::size_t> waits(count, 0);
  for (const Pair& edge : edges_) {
    ++waits[edge.second];
  }
  std::vector<std::uint32_t> place(count, 0);
  std::vector<bool> done(count, false);
  for (std::size_t k = 0; k < count; ++k) {
    std::uint32_t v = 0;
    while (v < count && (done[v] || waits[v] > 0)) {
      ++v;
    }
    if (v == count) {
      return false;  // a cycle
    }
    done[v] = true;
    place[v] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(v);
    for (auto edge = edges_.lower_bound({v, 0}); edge != edges_.end() && edge->first == v; ++edge) {
      --waits[edge->second];
    }
  }
  graph_.name = "program";
  graph_.matrix_cores = graph_.vector_cores =
      static_cast<std::uint32_t>(std::max<std::size_t>(1, count));
  std::size_t matrix = 0;
  std::size_t vector = 0;
  for (const std::uint32_t v : order_) {
    const Columns& c = columns_[v];
    const double least = std::min(one_[v], one_[v] - gain_[v]);
    if (!has_duration_[v] || (cores && !has_core_[v]) || !(least >= 0.0)) {
      return false;
    }
    LayerOperator op;
    op.core = c.matrix.empty() ? (c.vector.empty() ? OperatorCore::kMatrix : OperatorCore::kVector)
              : c.vector.empty() ? OperatorCore::kMatrix
                                 : OperatorCore::kBoth;
    op.one_core_seconds = one_[v] / kMicroseconds;
    op.all_cores_seconds = (one_[v] - gain_[v]) / kMicroseconds;
    graph_.operators.push_back(op);
    matrix = std::max(matrix, c.matrix.size());
    vector = std::max(vector, c.vector.size());
  }
  if (cores) {
    graph_.matrix_cores = static_cast<std::uint32_t>(std::max<std::size_t>(1, matrix));
    graph_.vector_cores = static_cast<std::uint32_t>(std::max<std::size_t>(1, vector));
  }
  for (const Pair& edge : edges_) {
    graph_.edges.emplace_back(place[edge.first], place[edge.second]);
  }
  std::ranges::sort(graph_.edges);
  return count > 0;
}

bool SchedulingProgram::all_pairs_apart() const {
  const OperatorOrder order = order_of(graph_);
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    const std::uint32_t v = order_[i];
    if (order.successors[i].empty() && !ends_[v]) {
      return false;
    }
    for (std::uint32_t k = i + 1; k < order_.size(); ++k) {
      const std::uint32_t w = order_[k];
      if (order.comparable(i, k)) {
        continue;
      }
      const Pair pair = std::minmax(v, w);
      for (const std::uint32_t u : {v, w}) {
        if (gain_[u] > 0.0 && !apart_.contains({pair, columns_[u].alone})) {
          return false;
        }
      }
      for (const auto member : {&Columns::matrix, &Columns::vector}) {
        for (const auto& [core, column] : columns_[v].*member) {
          const auto& other = columns_[w].*member;
          if (other.contains(core) &&
              !(apart_.contains({pair, column}) && apart_.contains({pair, other.at(core)}))) {
            return false;
          }
        }
      }
      const bool may_meet =
          std::ranges::any_of(apart_, [&](const auto& entry) { return entry.first == pair; });
      if (may_meet && !(ordered_.contains({v, w}) && ordered_.contains({w, v}))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace berth::nest
