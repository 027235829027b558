// SPDX-FileCopyrightText: The Berth authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <string>

#include "berth/config.hpp"
#include "berth/problem.hpp"
#include "berth/rng.hpp"

#include "learned_options.hpp"
#include "learned_settings.hpp"
#include "random_edges.hpp"

namespace berth::learned {

/// A random graph of `ops` ops of two kinds, edges from earlier to later ids, costs 1 .. 4.
inline std::shared_ptr<const PlacementProblem> random_problem(std::size_t ops,
                                                              std::size_t devices,
                                                              std::uint64_t seed) {
  Rng rng(seed);
  GraphBuilder builder("random");
  for (std::size_t v = 0; v < ops; ++v) {
    OpSpec op;
    op.kind = rng.below(2) == 0 ? "einsummable" : "formation";
    op.work = 1.0 + static_cast<double>(rng.below(4));
    builder.add_op(op);
  }
  testing::add_random_edges(builder, ops, rng);
  return make_problem("random", builder.freeze(), Topology::uniform(devices), {});
}

/// "every-step", "once" or "constant" parallel set, on three devices.
inline LearnedSettings placeto_settings(const std::string& form, PlacetoSizes& sizes) {
  Config config(kPlacetoOptions, "placeto");
  config.set("devices", "3");
  config.set("head", "16");
  config.set("learning_rate", "0.02");
  config.set("message_passing", form == "once" ? "once" : "every-step");
  config.set("parallel", form == "constant" ? "constant" : "set");
  return parse_placeto(config, sizes);
}

/// What an op with one neighbour gathers: "row" or "zeros", on three devices.
inline LearnedSettings gdp_settings(const std::string& single, GdpSizes& sizes) {
  Config config(kGdpOptions, "gdp");
  config.set("devices", "3");
  config.set("hidden", "8");
  config.set("heads", "2");
  config.set("single_neighbour", single);
  return parse_gdp(config, sizes);
}

}  // namespace berth::learned
