// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>

#include "berth/config.hpp"
#include "berth/problem.hpp"
#include "berth/rng.hpp"

#include "option_table.hpp"
#include "random_edges.hpp"
#include "settings.hpp"

namespace berth::doppler {

/// A random layered graph of `ops` ops, edges from earlier to later ids, costs 1 .. 4.
inline std::shared_ptr<const PlacementProblem> random_problem(std::size_t ops,
                                                              std::size_t devices,
                                                              std::uint64_t seed) {
  Rng rng(seed);
  GraphBuilder builder("random");
  for (std::size_t v = 0; v < ops; ++v) {
    OpSpec op;
    op.work = 1.0 + static_cast<double>(rng.below(4));
    op.output_bytes = 1.0 + static_cast<double>(rng.below(3));
    builder.add_op(op);
  }
  testing::add_random_edges(builder, ops, rng);
  return make_problem("random", builder.freeze(), Topology::uniform(devices), {});
}

/// a -> b -> d, a -> c -> d with work 1, 2, 3, 1 and transfers of 10 time units each.
inline std::shared_ptr<const PlacementProblem> diamond(std::size_t devices) {
  GraphBuilder builder("diamond");
  for (const double work : {1.0, 2.0, 3.0, 1.0}) {
    OpSpec op;
    op.work = work;
    builder.add_op(op);
  }
  for (const auto& [from, to] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 3}}) {
    builder.add_edge(to_id<OpId>(from), to_id<OpId>(to), 10.0);
  }
  return make_problem("diamond", builder.freeze(), Topology::uniform(devices), {});
}

inline Settings settings_of(std::initializer_list<std::pair<const char*, const char*>> options) {
  Config config(kOptions, "doppler");
  for (const auto& [name, value] : options) {
    config.set(name, value);
  }
  return parse_settings(config);
}

}  // namespace berth::doppler
