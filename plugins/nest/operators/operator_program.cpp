// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#include "operator_program.hpp"

#include <algorithm>
#include <string>

namespace berth::nest {
namespace {

constexpr double kSlack = 1e-6;  // relative, so that rounding cuts no schedule off

std::string name(char letter, std::size_t v) {
  return letter + std::to_string(v);
}

}  // namespace

OperatorProgram::OperatorProgram(const OperatorGraph& graph,
                                 const OperatorOrder& order,
                                 double upper)
    : graph_(graph), order_(order), upper_(upper * kMicroseconds * (1.0 + kSlack)) {
  const std::size_t count = graph.operators.size();
  makespan_ = program_.add_column("T", operator_bound(graph) * kMicroseconds, upper_, 1.0);
  const std::vector<std::uint8_t> choice = wants_all_cores(graph);
  for (std::size_t v = 0; v < count; ++v) {
    const double first = order.head[v] * kMicroseconds;
    const double last = std::max(first, upper_ - order.tail[v] * kMicroseconds);
    start_.push_back(program_.add_column(name('t', v), first, last));
    alone_.push_back(choice[v] != 0 ? program_.add_binary(name('y', v)) : 0);
  }
  for (std::size_t v = 0; v < count; ++v) {
    for (const std::uint32_t w : order.successors[v]) {
      GlpkProgram::Terms terms = {{start_[w], 1.0}};
      const double constant = add_end(terms, v, -1.0);
      program_.add_row_at_least(-constant, terms);
    }
    if (order.successors[v].empty()) {
      GlpkProgram::Terms terms = {{makespan_, 1.0}};
      const double constant = add_end(terms, v, -1.0);
      program_.add_row_at_least(-constant, terms);
    }
  }
  add_load_rows();
  for (std::uint32_t v = 0; v < count; ++v) {
    for (std::uint32_t w = v + 1; w < count; ++w) {
      if (!order.comparable(v, w) && (alone_[v] != 0 || alone_[w] != 0)) {
        add_pair(v, w);
      }
    }
  }
}

double OperatorProgram::one(std::size_t v) const {
  return graph_.operators[v].one_core_seconds * kMicroseconds;
}

double OperatorProgram::gain(std::size_t v) const {
  return alone_[v] == 0 ? 0.0 : one(v) - graph_.operators[v].all_cores_seconds * kMicroseconds;
}

double OperatorProgram::add_end(GlpkProgram::Terms& terms, std::size_t v, double sign) const {
  terms.emplace_back(start_[v], sign);
  if (alone_[v] != 0) {
    terms.emplace_back(alone_[v], -sign * gain(v));
  }
  return sign * one(v);
}

void OperatorProgram::add_load_rows() {
  const std::size_t count = graph_.operators.size();
  GlpkProgram::Terms exclusive;  // E
  for (std::size_t v = 0; v < count; ++v) {
    if (alone_[v] != 0) {
      exclusive.emplace_back(alone_[v], -(one(v) - gain(v)));
    }
  }
  for (std::size_t v = 0; v < count; ++v) {
    potential_.push_back(program_.add_column(name('q', v), 0.0, upper_));
  }
  for (std::size_t v = 0; v < count; ++v) {
    // q_w >= q_v + one_v (1 - y_v), and T >= the same + E where the chain ends.
    const auto own = [&](GlpkProgram::Terms& terms) {
      terms.emplace_back(potential_[v], -1.0);
      if (alone_[v] != 0) {
        terms.emplace_back(alone_[v], one(v));
      }
    };
    for (const std::uint32_t w : order_.successors[v]) {
      GlpkProgram::Terms terms = {{potential_[w], 1.0}};
      own(terms);
      program_.add_row_at_least(one(v), terms);
    }
    if (order_.successors[v].empty()) {
      GlpkProgram::Terms terms = exclusive;
      std::erase_if(terms, [&](const auto& term) { return term.first == alone_[v]; });
      terms.emplace_back(makespan_, 1.0);
      terms.emplace_back(potential_[v], -1.0);
      if (alone_[v] != 0) {
        terms.emplace_back(alone_[v], gain(v));  // one (1 - y) and all y of v itself
      }
      program_.add_row_at_least(one(v), terms);
    }
  }
  for (const OperatorCore kind : {OperatorCore::kMatrix, OperatorCore::kVector}) {
    const double cores = kind == OperatorCore::kMatrix ? graph_.matrix_cores : graph_.vector_cores;
    GlpkProgram::Terms terms = {{makespan_, 1.0}};
    double constant = 0.0;
    for (std::size_t v = 0; v < count; ++v) {
      const double share = uses(graph_.operators[v], kind) ? one(v) / cores : 0.0;
      constant += share;
      if (alone_[v] != 0) {
        terms.emplace_back(alone_[v], share - (one(v) - gain(v)));
      }
    }
    program_.add_row_at_least(constant, terms);
  }
}

void OperatorProgram::add_pair(std::uint32_t v, std::uint32_t w) {
  if (before_.contains({v, w}) || one(v) == 0.0 || one(w) == 0.0) {
    return;  // known, or one takes no time and disturbs nobody
  }
  const auto suffix = std::to_string(v) + "_" + std::to_string(w);
  const auto reversed = std::to_string(w) + "_" + std::to_string(v);
  const int vw = program_.add_binary("x" + suffix);
  const int wv = program_.add_binary("x" + reversed);
  before_[{v, w}] = vw;
  before_[{w, v}] = wv;
  program_.add_row_at_least(-1.0, {{vw, -1.0}, {wv, -1.0}});
  for (const std::uint32_t u : {v, w}) {
    if (alone_[u] != 0) {
      program_.add_row_at_least(0.0, {{vw, 1.0}, {wv, 1.0}, {alone_[u], -1.0}});
    }
  }
  const auto follows = [&](std::uint32_t a, std::uint32_t b, int x) {
    const double best = one(a) - gain(a);
    const double latest_end = upper_ - order_.tail[a] * kMicroseconds + best + gain(a);
    const double most = std::max(0.0, latest_end - order_.head[b] * kMicroseconds);
    GlpkProgram::Terms terms = {{start_[b], 1.0}, {x, -most}};
    const double constant = add_end(terms, a, -1.0);
    program_.add_row_at_least(-constant - most, terms);
  };
  follows(v, w, vw);
  follows(w, v, wv);
}

std::vector<double> OperatorProgram::values_of(const OperatorSchedule& schedule) const {
  const std::size_t count = graph_.operators.size();
  std::vector<double> values(static_cast<std::size_t>(program_.columns()) + 1, 0.0);
  const auto put = [&values](int column, double value) {
    values[static_cast<std::size_t>(column)] = value;
  };
  std::vector<double> end(count);
  std::vector<double> chain(count, 0.0);
  put(makespan_, schedule.makespan_seconds * kMicroseconds);
  for (std::size_t v = 0; v < count; ++v) {
    const bool alone = schedule.exclusive[v] != 0 && alone_[v] != 0;
    const double start = schedule.start_seconds[v] * kMicroseconds;
    end[v] = start + one(v) - (alone ? gain(v) : 0.0);
    put(start_[v], start);
    put(potential_[v], chain[v]);
    if (alone_[v] != 0) {
      put(alone_[v], alone ? 1.0 : 0.0);
    }
    for (const std::uint32_t w : order_.successors[v]) {
      chain[w] = std::max(chain[w], chain[v] + (alone ? 0.0 : one(v)));
    }
  }
  for (const auto& [pair, column] : before_) {
    const double start = schedule.start_seconds[pair.second] * kMicroseconds;
    put(column, end[pair.first] <= start + kSlack ? 1.0 : 0.0);
  }
  return values;
}

std::vector<std::uint8_t> OperatorProgram::alone_in(std::span<const double> values) const {
  std::vector<std::uint8_t> alone;
  for (const int column : alone_) {
    alone.push_back(column != 0 && values[static_cast<std::size_t>(column)] > 0.5 ? 1 : 0);
  }
  return alone;
}

std::vector<double> OperatorProgram::starts_in(std::span<const double> values) const {
  std::vector<double> starts;
  for (const int column : start_) {
    starts.push_back(values[static_cast<std::size_t>(column)] / kMicroseconds);
  }
  return starts;
}

std::size_t OperatorProgram::forbid(std::span<const double> values) {
  const std::vector<std::uint8_t> alone = alone_in(values);
  std::size_t added = 0;
  for (const OperatorCore kind : {OperatorCore::kMatrix, OperatorCore::kVector}) {
    const std::size_t cores =
        kind == OperatorCore::kMatrix ? graph_.matrix_cores : graph_.vector_cores;
    const auto runs = [&](std::size_t u, double now) {
      const double start = values[static_cast<std::size_t>(start_[u])];
      return uses(graph_.operators[u], kind) && alone[u] == 0 && start <= now + kSlack &&
             start + one(u) > now + kSlack;
    };
    for (std::uint32_t v = 0; v < graph_.operators.size(); ++v) {
      const double now = values[static_cast<std::size_t>(start_[v])];
      if (!runs(v, now)) {
        continue;
      }
      std::vector<std::uint32_t> together;
      for (std::uint32_t u = 0; u < graph_.operators.size(); ++u) {
        if (runs(u, now)) {
          together.push_back(u);
        }
      }
      if (together.size() <= cores) {
        continue;
      }
      together.resize(cores + 1);
      GlpkProgram::Terms terms;
      for (std::size_t i = 0; i < together.size(); ++i) {
        for (std::size_t j = i + 1; j < together.size(); ++j) {
          add_pair(together[i], together[j]);
          terms.emplace_back(before_.at({together[i], together[j]}), 1.0);
          terms.emplace_back(before_.at({together[j], together[i]}), 1.0);
        }
      }
      program_.add_row_at_least(1.0, terms);
      ++added;
    }
  }
  return added;
}

}  // namespace berth::nest
