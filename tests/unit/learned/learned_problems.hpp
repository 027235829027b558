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

enum class Speeds : std::uint8_t { kEqual, kMixed };

/// Mixed: device d runs 1 + d mod 3 times as fast as the first.
inline Topology devices_of(std::size_t devices, Speeds speeds) {
  if (speeds == Speeds::kEqual) {
    return Topology::uniform(devices);
  }
  TopologyBuilder builder("mixed");
  for (std::size_t d = 0; d < devices; ++d) {
    DeviceSpec device;
    device.type = std::to_string(d % 3);
    device.peak = FlopsPerSecond{1.0 + static_cast<double>(d % 3)};
    builder.add_device(device);
  }
  const LinkId link = builder.add_link({"bus", BytesPerSecond{1.0}, Seconds{0.0}});
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = 0; b < devices; ++b) {
      if (a != b) {
        builder.route(to_id<DeviceId>(a), to_id<DeviceId>(b), {link});
      }
    }
  }
  return builder.freeze();
}

/// A random graph of `ops` ops of two kinds, edges from earlier to later ids, costs 1 .. 4.
inline std::shared_ptr<const PlacementProblem> random_problem(std::size_t ops,
                                                              std::size_t devices,
                                                              std::uint64_t seed,
                                                              Speeds speeds = Speeds::kEqual) {
  Rng rng(seed);
  GraphBuilder builder("random");
  for (std::size_t v = 0; v < ops; ++v) {
    OpSpec op;
    op.kind = rng.below(2) == 0 ? "einsummable" : "formation";
    op.work = 1.0 + static_cast<double>(rng.below(4));
    builder.add_op(op);
  }
  testing::add_random_edges(builder, ops, rng);
  return make_problem("random", builder.freeze(), devices_of(devices, speeds), {});
}

/// "every-step", "once" or "constant" parallel set.
inline LearnedSettings placeto_settings(const std::string& form, PlacetoSizes& sizes) {
  Config config(kPlacetoOptions, "placeto");
  config.set("head", "16");
  config.set("learning_rate", "0.02");
  config.set("message_passing", form == "once" ? "once" : "every-step");
  config.set("parallel", form == "constant" ? "constant" : "set");
  return parse_placeto(config, sizes);
}

/// What an op with one neighbour gathers: "row" or "zeros".
inline LearnedSettings gdp_settings(const std::string& single, GdpSizes& sizes) {
  Config config(kGdpOptions, "gdp");
  config.set("hidden", "8");
  config.set("heads", "2");
  config.set("single_neighbour", single);
  return parse_gdp(config, sizes);
}

}  // namespace berth::learned
